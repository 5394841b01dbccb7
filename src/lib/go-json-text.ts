const ESCAPES: Readonly<Record<string, string>> = { '<': '\\u003c', '>': '\\u003e', '&': '\\u0026', '\u2028': '\\u2028', '\u2029': '\\u2029' }

/** A JSON value as encoding/json of Go writes it: without spaces, and safe within HTML. Keys stay in their order; a member that is undefined is left out. */
export const goJsonText = (value: unknown): string => (JSON.stringify(value) ?? 'null').replace(/[<>&\u2028\u2029]/g, char => ESCAPES[char] ?? char)
