/** Lifecycles of kinds by name, as the table of kinds writes them: `since('1.33', '1.36', '1.39')`. */
export type Lifecycles = ReadonlyMap<string, string>

const MEMBERS = ['Introduced', 'Deprecated', 'Removed'] as const

/** Reads a `zz_generated.prerelease-lifecycle.go`. Lists are left out, as they follow their items. */
export function readLifecycles(text: string): Lifecycles {
  const found = new Map<string, Partial<Record<string, string>>>()
  for (const [, kind = '', member = '', body = ''] of text.matchAll(/func \(in \*(\w+)\) APILifecycle(\w+)\(\) [^{]*\{\n([^}]*)/g)) {
    const release = /return (\d+), (\d+)/.exec(body)
    const replacement = /Group: "([^"]*)", Version: "([^"]*)", Kind: "([^"]*)"/.exec(body)
    const value = release ? `'${release[1]}.${release[2]}'` : replacement ? `'${replacement[1]}/${replacement[2]} ${replacement[3]}'` : ''
    if (!kind.endsWith('List')) found.set(kind, { ...found.get(kind), [member]: value })
  }
  return new Map(
    [...found].map(([kind, members]) => {
      const values = [...MEMBERS.map(member => members[member] ?? 'undefined'), members.Replacement ?? 'undefined']
      while (values.at(-1) === 'undefined') values.pop()
      return [kind, `since(${values.join(', ')})`]
    }),
  )
}
