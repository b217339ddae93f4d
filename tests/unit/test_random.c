/* Random numbers are even, bits and neighbours know nothing of each other; a hash sees every bit.
 */
#include "support.h"

#include "base/hash.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The n-th number when one of the three inputs counts up and the others stay. */
static uint64_t draw(int input, uint64_t n, uint64_t stay) {
    return input == 0   ? rvi_random(n, stay, stay)
           : input == 1 ? rvi_random(stay, n, stay)
                        : rvi_random(stay, stay, n);
}

static void units_are_below_one(void **state) {
    (void)state;
    assert_equal(rvi_unit(0), 0.0f);
    assert_less(rvi_unit(UINT64_MAX), 1.0f);
    float last = -1.0f;
    for (uint64_t k = 0; k < 1 << 24; k++) { /* all there are, each another float, in order */
        float u = rvi_unit(k << 40 | 0xffffffffffu);
        assert_greater(u, last);
        assert_greater_equal(u, 0.0f);
        assert_less(u, 1.0f);
        last = u;
    }
}

/* Chi-square over 256 bins: its mean is 255 and its variance 510. */
static void assert_even(const char *what, const unsigned *bins, double draws) {
    double square = 0;
    for (int i = 0; i < 256; i++)
        square += pow((double)bins[i] - draws / 256, 2) / (draws / 256);
    double sigmas = (square - 255) / sqrt(510);
    if (fabs(sigmas) > 5)
        fail_msg("%s: chi-square is %.1f sigmas from what even numbers give", what, sigmas);
}

static void numbers_are_even(void **state) {
    (void)state;
    enum { DRAWS = 1 << 18 };
    for (int input = 0; input < 3; input++)
        for (uint64_t stay = 0; stay < 4; stay++) {
            unsigned bins[9][256] = {{0}};
            for (uint64_t n = 0; n < DRAWS; n++) {
                uint64_t bits = draw(input, n, stay);
                for (int byte = 0; byte < 8; byte++)
                    bins[byte][bits >> (8 * byte) & 255]++;
                bins[8][(int)(rvi_unit(bits) * 256)]++;
            }
            for (int i = 0; i < 9; i++) {
                char what[64];
                snprintf(what, sizeof what, "input %d, byte %d", input, i);
                assert_even(what, bins[i], DRAWS);
            }
        }
}

/* One bit of an input moves each bit of the output half of the time. Inputs are small numbers, as
 * seeds and counters are. */
static void every_bit_moves_half_of_the_bits(void **state) {
    (void)state;
    enum { TRIES = 4096 };
    double worst = 0;
    for (int bit = 0; bit < 192; bit++) {
        int moved[64] = {0};
        for (uint64_t n = 0; n < TRIES; n++) {
            uint64_t in[3] = {n % 16, n / 16, n % 7};
            uint64_t before = rvi_random(in[0], in[1], in[2]);
            in[bit / 64] ^= UINT64_C(1) << bit % 64;
            uint64_t change = before ^ rvi_random(in[0], in[1], in[2]);
            for (int k = 0; k < 64; k++)
                moved[k] += (int)(change >> k & 1);
        }
        for (int k = 0; k < 64; k++) {
            double off = fabs((double)moved[k] / TRIES - 0.5);
            worst = off > worst ? off : worst;
        }
    }
    /* 12288 shares with a sigma of 1 / 128: five sigmas. */
    if (worst > 5.0 / 128)
        fail_msg("an output bit moves with probability 0.5 +- %.3f", worst);
}

static void neighbours_know_nothing_of_each_other(void **state) {
    (void)state;
    enum { DRAWS = 1 << 18 };
    for (int input = 0; input < 3; input++)
        for (uint64_t lag = 1; lag <= 8; lag++) {
            double product = 0;
            for (uint64_t n = 0; n < DRAWS; n++) {
                double a = (double)rvi_unit(draw(input, n, 5)) - 0.5;
                double b = (double)rvi_unit(draw(input, n + lag, 5)) - 0.5;
                product += a * b * 12; /* 1 / 12 is the variance */
            }
            double sigmas = product / sqrt(DRAWS);
            if (fabs(sigmas) > 5)
                fail_msg("input %d: numbers %d apart correlate, %.1f sigmas", input, (int)lag,
                         sigmas);
        }
}

/* A lattice of (x, y), as noise draws it: no direction in which neighbours are alike. */
static void lattices_have_no_grain(void **state) {
    (void)state;
    enum { SIDE = 400 };
    static const int steps[][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 1}};
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        double product = 0;
        for (int y = 1; y <= SIDE; y++)
            for (int x = 1; x <= SIDE; x++) {
                uint64_t there_x = (uint64_t)(x + steps[s][0]);
                uint64_t there_y = (uint64_t)(y + steps[s][1]);
                double a = (double)rvi_unit(rvi_random(1, (uint64_t)x, (uint64_t)y)) - 0.5;
                double b = (double)rvi_unit(rvi_random(1, there_x, there_y)) - 0.5;
                product += a * b * 12;
            }
        assert_less(fabs(product / SIDE), 5);
    }
}

static int order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Which of the inputs a number stands in matters: no two of all small triples give the same. */
static void no_two_are_the_same(void **state) {
    (void)state;
    enum { SIDE = 64, ALL = SIDE * SIDE * SIDE };
    static uint64_t all[ALL];
    size_t count = 0;
    for (uint64_t seed = 0; seed < SIDE; seed++)
        for (uint64_t which = 0; which < SIDE; which++)
            for (uint64_t when = 0; when < SIDE; when++)
                all[count++] = rvi_random(seed, which, when);
    qsort(all, count, sizeof *all, order);
    for (size_t i = 1; i < count; i++)
        assert_not_equal(all[i], all[i - 1]);
}

static void a_hash_sees_every_bit(void **state) {
    (void)state;
    unsigned char data[80];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)rvi_random(6, i, 0);
    double moved = 0, flips = 0;
    for (size_t size = 0; size <= sizeof data; size++) {
        uint64_t hash = rvi_hash(data, size, 1);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            uint64_t change = hash ^ rvi_hash(data, size, 1);
            data[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_not_equal(change, 0);
            for (; change; change &= change - 1)
                moved++;
            flips++;
        }
        assert_equal(rvi_hash(data, size, 1), hash);
    }
    assert_near(moved / flips, 32, 0.2);
}

static void a_hash_sees_length_place_and_seed(void **state) {
    (void)state;
    static const unsigned char zeros[256];
    enum { ALL = 257 + 64 };
    uint64_t all[ALL];
    size_t count = 0;
    for (size_t size = 0; size <= 256; size++)
        all[count++] = rvi_hash(zeros, size, 0);
    for (int bit = 0; bit < 64; bit++)
        all[count++] = rvi_hash(zeros, 100, UINT64_C(1) << bit);
    qsort(all, count, sizeof *all, order);
    for (size_t i = 1; i < count; i++)
        assert_not_equal(all[i], all[i - 1]);
    /* Words that change places. */
    uint64_t ab[2] = {1, 2}, ba[2] = {2, 1};
    assert_not_equal(rvi_hash(ab, sizeof ab, 0), rvi_hash(ba, sizeof ba, 0));
}

static void a_hash_does_not_see_the_address(void **state) {
    (void)state;
    unsigned char room[64 + 37];
    for (size_t shift = 0; shift < 16; shift++) {
        for (size_t i = 0; i < 37; i++)
            room[shift + i] = (unsigned char)(7 * i + 1);
        room[shift + 37] = (unsigned char)shift; /* just behind the end */
        static uint64_t first;
        uint64_t hash = rvi_hash(room + shift, 37, 9);
        first = shift == 0 ? hash : first;
        assert_equal(hash, first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_below_one),
        cmocka_unit_test(numbers_are_even),
        cmocka_unit_test(every_bit_moves_half_of_the_bits),
        cmocka_unit_test(neighbours_know_nothing_of_each_other),
        cmocka_unit_test(lattices_have_no_grain),
        cmocka_unit_test(no_two_are_the_same),
        cmocka_unit_test(a_hash_sees_every_bit),
        cmocka_unit_test(a_hash_sees_length_place_and_seed),
        cmocka_unit_test(a_hash_does_not_see_the_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
