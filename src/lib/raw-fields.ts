/**
 * Calls `each` with the name and value of every field of Node's raw headers: `['Host', 'a', 'Accept', '*']`. A name
 * without a value at the end is skipped. Allocates no pairs, because it runs for every request.
 */
export function eachField(fields: readonly string[], each: (name: string, value: string) => unknown): void {
  let name: string | undefined
  for (const text of fields) {
    if (name === undefined) name = text
    else {
      each(name, text)
      name = undefined
    }
  }
}

/** Returns the fields without those whose name, in lower case, `isLeftOut` accepts. */
export function fieldsWithout(fields: readonly string[], isLeftOut: (name: string) => boolean): string[] {
  const left: string[] = []
  eachField(fields, (name, value) => {
    if (!isLeftOut(name.toLowerCase())) left.push(name, value)
  })
  return left
}

/** Decodes a header value. Node and the HTTP/2 stack read its bytes as Latin-1; Go reads them as UTF-8. */
export const utf8Value = (value: string): string => Buffer.from(value, 'latin1').toString('utf8')
