const ESCAPED = /[<>&\u2028\u2029]/

/**
 * Escapes the characters of a JSON text that Go's encoding/json escapes in addition to JSON: `<`, `>`, `&`, U+2028 and
 * U+2029. Five searches take a third of the time of a callback for each match.
 */
export function escapeAsGo(json: string): string {
  if (!ESCAPED.test(json)) return json
  return json
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}

/**
 * Writes a JSON value like Go's encoding/json: without spaces, and safe within HTML. Keys keep their order; undefined
 * members are omitted.
 */
export const goJsonText = (value: unknown): string => escapeAsGo(JSON.stringify(value) ?? 'null')
