/* server.c: HTTP for one user on this machine: only the loopback address, only requests that name
 * this server as their host and come from its own page, and messages only with the token of the
 * address that was opened. A page elsewhere can neither read nor ask anything, also not by a name
 * that it lets resolve to this machine. */
#include "studio.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SESSIONS = 16,
    CONNECTIONS = 256,
    ID = 64,
    TOKEN = 32,
    TICK_MS = 100,
    SIGN_MS = 5000,
    IDLE_S = 15
};
static const size_t most = (size_t)1 << 30; /* bytes of a message */

typedef struct entry {
    char id[ID + 1];
    studio_session *session; /* NULL: the entry is free */
    int users;               /* requests that use it now */
    bool ended;              /* the page has gone */
} entry;

struct studio_server {
    const studio_place *place;
    const studio_folder *page;
    struct MHD_Daemon *daemon;
    int port;
    char token[2 * TOKEN + 1];
    char hosts[2][32];
    pthread_mutex_t lock;
    pthread_cond_t idle; /* an entry has no users any more */
    bool stopping;
    bool met; /* a page has come */
    entry entries[SESSIONS];
};

/* What a connection is about while its body comes in. */
typedef struct exchange {
    char *bytes;
    size_t size, room;
    bool too_long;
} exchange;

/* A stream of events. */
typedef struct stream {
    studio_server *server;
    entry *entry;
    int socket;
    studio_packet *packet;
    size_t sent;
    int64_t last_ms;
} stream;

/* ---- answers ---- */

static void add_headers(struct MHD_Response *response, const char *type) {
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src "
         "'self'; "
         "img-src 'self' blob: data:; media-src blob:; connect-src 'self'; font-src 'self'; "
         "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Embedder-Policy", "require-corp"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cache-Control", "no-store"},
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
    MHD_add_response_header(response, "Content-Type", type);
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code,
                              struct MHD_Response *response, const char *type) {
    if (!response)
        return MHD_NO;
    add_headers(response, type);
    enum MHD_Result result = MHD_queue_response(connection, code, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code,
                              const char *sentence) {
    return answer(
        connection, code,
        MHD_create_response_from_buffer(strlen(sentence), (void *)sentence, MHD_RESPMEM_PERSISTENT),
        "text/plain; charset=utf-8");
}

static const char *type_of(const char *name) {
    static const char *const types[][2] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".wasm", "application/wasm"},
        {".json", "application/json"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".jpg", "image/jpeg"},
        {".webp", "image/webp"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".webmanifest", "application/manifest+json"},
        {".rv", "text/plain; charset=utf-8"},
    };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(dot, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

static enum MHD_Result send_file(const studio_server *server, struct MHD_Connection *connection,
                                 const char *url) {
    const studio_file *file =
        studio_folder_find(server->page, strcmp(url, "/") == 0 ? "index.html" : url + 1);
    if (*url != '/' || !file)
        return refuse(connection, MHD_HTTP_NOT_FOUND, "The page has no such file.\n");
    return answer(connection, MHD_HTTP_OK,
                  MHD_create_response_from_buffer(file->size, file->bytes, MHD_RESPMEM_PERSISTENT),
                  type_of(file->name));
}

/* ---- who asks ---- */

static const char *header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static bool is_host(const studio_server *server, const char *host) {
    return host && (strcmp(host, server->hosts[0]) == 0 || strcmp(host, server->hosts[1]) == 0);
}

/* Of several such headers one good one must not hide the others. */
static enum MHD_Result count_headers(void *user, enum MHD_ValueKind kind, const char *name,
                                     const char *value) {
    (void)kind, (void)value;
    int *counts = user;
    counts[0] += strcasecmp(name, "host") == 0;
    counts[1] += strcasecmp(name, "origin") == 0;
    return MHD_YES;
}

/* Somebody goes to the page itself, from wherever its address was shown: it is given without the
 * token, and asks for nothing without. */
static bool goes_to_page(struct MHD_Connection *connection, const char *url) {
    const char *mode = header(connection, "Sec-Fetch-Mode"),
               *where = header(connection, "Sec-Fetch-Dest");
    return strcmp(url, "/") == 0 && mode && strcmp(mode, "navigate") == 0 && where &&
           strcmp(where, "document") == 0;
}

static bool is_own(const studio_server *server, struct MHD_Connection *connection,
                   const char *url) {
    const char *origin = header(connection, "Origin"), *site = header(connection, "Sec-Fetch-Site");
    static const char scheme[] = "http://";
    int counts[2] = {0, 0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, count_headers, counts);
    if (counts[0] != 1 || counts[1] > 1 || !is_host(server, header(connection, "Host")))
        return false;
    if (origin &&
        (strncmp(origin, scheme, strlen(scheme)) != 0 || !is_host(server, origin + strlen(scheme))))
        return false;
    return !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0 ||
           goes_to_page(connection, url);
}

/* In the same time wherever they differ. */
static bool has_token(const studio_server *server, struct MHD_Connection *connection) {
    const char *token = header(connection, "X-Ravine-Token");
    unsigned differs = 0;
    if (!token || strlen(token) != 2 * TOKEN)
        return false;
    for (int i = 0; i < 2 * TOKEN; i++)
        differs |= (unsigned)(token[i] ^ server->token[i]);
    return differs == 0;
}

static const char *session_id(struct MHD_Connection *connection) {
    const char *id = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "session");
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
    return id && *id && strlen(id) <= ID && strspn(id, letters) == strlen(id) ? id : NULL;
}

/* ---- sessions ---- */

static entry *find_entry(studio_server *server, const char *id) {
    for (int i = 0; i < SESSIONS; i++)
        if (server->entries[i].session && !server->entries[i].ended &&
            strcmp(server->entries[i].id, id) == 0)
            return &server->entries[i];
    return NULL;
}

static entry *enter(studio_server *server, const char *id) {
    pthread_mutex_lock(&server->lock);
    entry *e = server->stopping ? NULL : find_entry(server, id);
    if (e)
        e->users++;
    pthread_mutex_unlock(&server->lock);
    return e;
}

static void leave(studio_server *server, entry *e) {
    pthread_mutex_lock(&server->lock);
    if (--e->users == 0)
        pthread_cond_broadcast(&server->idle);
    pthread_mutex_unlock(&server->lock);
}

/* NULL with the sentence about why not. */
static entry *open_entry(studio_server *server, const char *id, const char **why) {
    entry *e = NULL;
    pthread_mutex_lock(&server->lock);
    *why = "A page with this number is open already.\n";
    if (server->stopping || find_entry(server, id)) {
        pthread_mutex_unlock(&server->lock);
        return NULL;
    }
    *why = "So many pages are open that there is no room for another: close one.\n";
    for (int i = 0; i < SESSIONS && !e; i++)
        if (!server->entries[i].session)
            e = &server->entries[i];
    if (e) {
        studio_session *session = studio_session_open(server->place, id, why);
        if (session) {
            *e = (entry){.session = session};
            server->met = true;
            strcpy(e->id, id);
        } else {
            e = NULL;
        }
    }
    pthread_mutex_unlock(&server->lock);
    return e;
}

static void close_entry(studio_server *server, entry *e) {
    pthread_mutex_lock(&server->lock);
    e->ended = true;
    studio_session *session = e->session;
    pthread_mutex_unlock(&server->lock);
    studio_session_end(session);
    pthread_mutex_lock(&server->lock);
    while (e->users > 0)
        pthread_cond_wait(&server->idle, &server->lock);
    studio_session_close(session);
    e->session = NULL;
    pthread_mutex_unlock(&server->lock);
}

/* ---- events ---- */

static bool is_gone(int socket) {
    char byte;
    ssize_t got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* A sign of life, by which also a line that broke without a word is noticed. */
static studio_packet *sign(void) {
    studio_letter letter;
    if (!studio_letter_begin(&letter))
        return NULL;
    fputs("\"kind\":\"log\",\"line\":\"\"", letter.json);
    return studio_letter_end(&letter);
}

static ssize_t next_events(void *user, uint64_t position, char *buffer, size_t size) {
    (void)position;
    stream *s = user;
    while (!s->packet) {
        pthread_mutex_lock(&s->server->lock);
        bool stopping = s->server->stopping;
        pthread_mutex_unlock(&s->server->lock);
        if (stopping || is_gone(s->socket))
            return MHD_CONTENT_READER_END_OF_STREAM;
        s->packet = studio_session_event(s->entry->session, TICK_MS);
        s->sent = 0;
        if (!s->packet && cli_now_ms() - s->last_ms > SIGN_MS)
            s->packet = sign();
    }
    s->last_ms = cli_now_ms();
    size_t left = s->packet->size - s->sent, part = left < size ? left : size;
    memcpy(buffer, s->packet->bytes + s->sent, part);
    s->sent += part;
    if (s->sent == s->packet->size) {
        studio_packet_free(s->packet);
        s->packet = NULL;
    }
    return (ssize_t)part;
}

static void end_events(void *user) {
    stream *s = user;
    close_entry(s->server, s->entry);
    studio_packet_free(s->packet);
    free(s);
}

static enum MHD_Result send_events(studio_server *server, struct MHD_Connection *connection,
                                   const char *id) {
    const char *why;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    stream *s = calloc(1, sizeof *s);
    entry *e = s && info ? open_entry(server, id, &why) : NULL;
    if (!e) {
        free(s);
        return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                      s && info ? why : "There is not enough memory.\n");
    }
    *s = (stream){.server = server, .entry = e, .socket = info->connect_fd, .packet = sign()};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1 << 16, next_events, s, end_events);
    if (!response)
        end_events(s);
    return answer(connection, MHD_HTTP_OK, response, "application/octet-stream");
}

/* ---- messages ---- */

static enum MHD_Result take_body(exchange *x, const char *data, size_t *size) {
    if (x->size + *size > most)
        x->too_long = true;
    if (!x->too_long && x->size + *size > x->room) {
        size_t room = 2 * (x->size + *size);
        char *larger = realloc(x->bytes, room);
        x->too_long = !larger;
        x->bytes = larger ? larger : x->bytes;
        x->room = larger ? room : x->room;
    }
    if (!x->too_long) {
        memcpy(x->bytes + x->size, data, *size);
        x->size += *size;
    }
    *size = 0;
    return MHD_YES;
}

static enum MHD_Result send_reply(studio_server *server, struct MHD_Connection *connection,
                                  const char *id, exchange *x) {
    if (x->too_long)
        return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE,
                      "The message is too long: at most 1 GiB.\n");
    entry *e = enter(server, id);
    if (!e)
        return refuse(connection, MHD_HTTP_CONFLICT,
                      "There is no page with this number: ask for its events first.\n");
    char *bytes = x->bytes;
    x->bytes = NULL;
    studio_packet *reply = studio_session_ask(e->session, bytes, x->size);
    leave(server, e);
    if (!reply)
        return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
                      "There is not enough memory for the answer.\n");
    struct MHD_Response *response =
        MHD_create_response_from_buffer(reply->size, reply->bytes, MHD_RESPMEM_MUST_FREE);
    if (response)
        reply->bytes = NULL;
    studio_packet_free(reply);
    return answer(connection, MHD_HTTP_OK, response, "application/octet-stream");
}

static bool announces_too_much(struct MHD_Connection *connection) {
    const char *length = header(connection, "Content-Length");
    return length && strtod(length, NULL) > (double)most;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **about) {
    (void)version;
    studio_server *server = user;
    bool posts = strcmp(method, "POST") == 0,
         gets = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    bool message = strcmp(url, "/message") == 0, events = strcmp(url, "/events") == 0;
    exchange *x = *about;
    if (!x) { /* the headers are here */
        x = *about = calloc(1, sizeof *x);
        if (!x)
            return MHD_NO;
        if (!is_own(server, connection, url))
            return refuse(connection, MHD_HTTP_FORBIDDEN,
                          "This server answers only its own page on this machine.\n");
        if (!(posts && message) && !(gets && !message))
            return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                          "This cannot be asked for in this way.\n");
        if ((message || events) && !has_token(server, connection))
            return refuse(connection, MHD_HTTP_FORBIDDEN,
                          "The token of the address that `ravine studio` opened is missing.\n");
        if ((message || events) && !session_id(connection))
            return refuse(connection, MHD_HTTP_BAD_REQUEST, "The number of the page is missing.\n");
        if (message || events) /* a long answer may take its time */
            MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
        if (message && announces_too_much(connection))
            return refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE,
                          "The message is too long: at most 1 GiB.\n");
        return MHD_YES;
    }
    if (*size > 0 && !message) { /* nobody asked for it */
        *size = 0;
        return MHD_YES;
    }
    if (*size > 0)
        return take_body(x, data, size);
    if (message)
        return send_reply(server, connection, session_id(connection), x);
    if (events && strcmp(method, "GET") == 0)
        return send_events(server, connection, session_id(connection));
    return send_file(server, connection, url);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **about,
                         enum MHD_RequestTerminationCode how) {
    (void)user, (void)connection, (void)how;
    exchange *x = *about;
    if (x)
        free(x->bytes);
    free(x);
    *about = NULL;
}

/* ---- from start to stop ---- */

static bool make_token(char out[2 * TOKEN + 1]) {
    unsigned char bytes[TOKEN];
    if (getentropy(bytes, sizeof bytes) != 0)
        return false;
    for (int i = 0; i < TOKEN; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* The socket; -1 with the error printed and *code set. Gives the port that it has. */
static int listen_on(int *port, int *code) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 64) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) != 0) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        *code =
            why == EADDRINUSE
                ? cli_fail(2, "Another program has the port %d; --port N takes another one.", *port)
                : cli_fail(4, "The port %d of this machine cannot be opened: %s.", *port,
                           strerror(why));
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

int studio_server_start(const studio_place *place, const studio_folder *page, int port,
                        studio_server **out) {
    studio_server *server = calloc(1, sizeof *server);
    int code = 0;
    *out = NULL;
    if (!server || !make_token(server->token)) {
        free(server);
        return cli_fail(5, "The server cannot start: %s.", strerror(errno));
    }
    server->place = place;
    server->page = page;
    server->port = port;
    int fd = listen_on(&server->port, &code);
    if (fd < 0) {
        free(server);
        return code;
    }
    snprintf(server->hosts[0], sizeof server->hosts[0], "127.0.0.1:%d", server->port);
    snprintf(server->hosts[1], sizeof server->hosts[1], "localhost:%d", server->port);
    pthread_mutex_init(&server->lock, NULL);
    pthread_cond_init(&server->idle, NULL);
    server->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request,
        server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)IDLE_S, MHD_OPTION_END);
    if (server->daemon) {
        *out = server;
        return 0;
    }
    close(fd);
    free(server);
    return cli_fail(1, "The server cannot start.");
}

int studio_server_port(const studio_server *server) {
    return server->port;
}

bool studio_server_met(studio_server *server) {
    pthread_mutex_lock(&server->lock);
    bool met = server->met;
    pthread_mutex_unlock(&server->lock);
    return met;
}

const char *studio_server_token(const studio_server *server) {
    return server->token;
}

void studio_server_stop(studio_server *server) {
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    for (int i = 0; i < SESSIONS; i++)
        if (server->entries[i].session && !server->entries[i].ended)
            studio_session_end(server->entries[i].session);
    pthread_mutex_unlock(&server->lock);
    MHD_stop_daemon(server->daemon); /* closes the streams, and these their sessions */
    pthread_cond_destroy(&server->idle);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
