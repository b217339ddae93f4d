declare module 'virtual:table' {
    const table: unknown;
    export default table;
}
declare module 'virtual:layout' {
    const layout: Record<string, number>;
    export default layout;
}
declare module '*.rv' {
    const text: string;
    export default text;
}
