/** States of gates, such as `A-`, `B+` and `G+L`, each with its minor release, oldest first. */
export type GateStates = ReadonlyMap<string, readonly (readonly [minor: number, state: string])[]>

const LETTERS: Readonly<Record<string, string>> = { Alpha: 'A', Beta: 'B', GA: 'G', Deprecated: 'D' }

/** Reads the versioned feature gates of a Go file. */
export function readGates(text: string): GateStates {
  const gates = new Map<string, [number, string][]>()
  let states: [number, string][] | undefined
  for (const line of text.split('\n')) {
    const name = /^\s+(?:\w+\.)?(\w+): \{$/.exec(line)?.[1]
    if (name !== undefined) {
      states = []
      gates.set(name, states)
    }
    const [, minor, on, stage] =
      /MustParse\("1\.(\d+)"\), Default: (true|false), (?:LockToDefault: \w+, )?PreRelease: (?:\w+\.)?(\w+)/.exec(line) ?? []
    if (minor === undefined) continue
    states?.push([
      Number(minor),
      `${LETTERS[stage ?? ''] ?? '?'}${on === 'true' ? '+' : '-'}${line.includes('LockToDefault: true') ? 'L' : ''}`,
    ])
  }
  for (const [name, found] of gates) if (found.length === 0) gates.delete(name)
  return gates
}

/** Returns the state of each gate in a minor release, for gates that exist in it. */
export function statesIn(gates: GateStates, minor: number): Map<string, string> {
  const found = new Map<string, string>()
  for (const [name, states] of gates) {
    const state = states.findLast(([since]) => since <= minor)?.[1]
    if (state !== undefined) found.set(name, state)
  }
  return found
}

/**
 * Adds the states of a release to the text of the gate table. States that a preview of the release had are replaced. A
 * new gate is written as `fixed`: tests fail until its effect has been decided. Returns the new text and a line per
 * change.
 */
export function withGates(
  table: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  minor: number,
): { text: string; changes: string[] } {
  const entries = new Map([...table.matchAll(/^ {2}(\w+): '(.*)',$/gm)].map(([, name = '', history = '']) => [name, history]))
  const changes: string[] = []
  const ownState = new RegExp(` ${minor}\\S+$`)
  const note = (name: string, from: string, to: string): number => changes.push(`${name}: ${from} -> ${to}`)
  for (const [name, state] of after) {
    const history = (entries.get(name) ?? 'fixed').replace(ownState, '')
    if (before.get(name) === state || entries.get(name) === `${history} ${minor}${state}`) continue
    entries.set(name, `${history} ${minor}${state}`)
    note(name, before.get(name) ?? 'new', state)
  }
  for (const [name, state] of before) {
    const history = entries.get(name)
    if (after.has(name) || history === undefined || history.endsWith('gone')) continue
    const earlier = history.replace(ownState, '')
    if (earlier.includes(' ')) entries.set(name, `${earlier} ${minor}gone`)
    else entries.delete(name)
    note(name, state, 'gone')
  }
  const lines = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, history]) => `  ${name}: '${history}',`)
  const start = table.indexOf('{\n') + 2
  return { text: `${table.slice(0, start)}${lines.join('\n')}\n${table.slice(table.lastIndexOf('}'))}`, changes: changes.sort() }
}
