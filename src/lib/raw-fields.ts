/**
 * Calls `each` with every name and its value of fields that stand in turn, as Node gives raw headers: `['Host', 'a', 'Accept', '*']`. A name without a value at the end is passed over. No pairs
 * are made, as this is done for every request.
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

/** The fields but for those whose names in lower case are left out. */
export function fieldsWithout(fields: readonly string[], isLeftOut: (name: string) => boolean): string[] {
  const left: string[] = []
  eachField(fields, (name, value) => {
    if (!isLeftOut(name.toLowerCase())) left.push(name, value)
  })
  return left
}

/** The text of a value: Node and the HTTP/2 stack read bytes as Latin-1, and they are UTF-8, as in Go. */
export const utf8Value = (value: string): string => Buffer.from(value, 'latin1').toString('utf8')
