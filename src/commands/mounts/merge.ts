import { isJsonObject, type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import type { ClusterClient } from '../../clients/cluster-client.ts'
import { ArgumentError, type Arguments, type Streams } from '../../lib/arguments.ts'
import { onOneLine } from '../../lib/printable.ts'
import { objectsIn } from '../../meta/json-members.ts'
import { fieldChanges } from '../history/field-changes.ts'
import { NO_BRANCHES } from './branch.ts'
import { runServerCommand } from './server-command.ts'

const USAGE = `Usage: binnacle merge NAME --dry-run [--output text|json]

Shows what merging a branch into its server would change: objects that the branch has created (+), changed (~) or deleted (-), with their
fields, and conflicts with changes on the server since the branch began (!). Exits with 1 if there are conflicts. Nothing is merged.

      --dry-run     required: merging itself is not supported
      --output      text, or json: one line for each object
`

const COMMAND = { options: { 'dry-run': 'switch', output: 'value' }, usage: USAGE, lack: NO_BRANCHES } as const

/** Runs the command. Resolves with the exit status. */
export const runMerge = (argv: readonly string[], streams: Streams): Promise<number> =>
  runServerCommand(argv, { ...COMMAND, check: given => void mergeOf(given) }, streams, async ({ given, client }) => {
    const { name, output } = mergeOf(given)
    let conflicts = 0
    for await (const change of mergeableChanges(client, name)) {
      if (change.conflict === true) conflicts++
      streams.out(output === 'json' ? `${JSON.stringify(change)}\n` : conflictText(change))
    }
    return conflicts > 0 ? 1 : 0
  })

function mergeOf(given: Arguments): { readonly name: string; readonly output: 'text' | 'json' } {
  const [name, ...more] = given.values('argument')
  if (name === undefined || more.length > 0) throw new ArgumentError('one name is required: binnacle merge NAME --dry-run')
  if (!given.isOn('dry-run')) throw new ArgumentError('merge: only --dry-run is supported: apply the changes that it shows to the server')
  const output = given.value('output') ?? 'text'
  if (output !== 'text' && output !== 'json') throw new ArgumentError(`--output ${output}: must be text or json`)
  return { name, output }
}

async function* mergeableChanges(client: ClusterClient, name: string): AsyncGenerator<JsonObject> {
  const query = new URLSearchParams()
  for (;;) {
    const page = objectIn(await client.json(`/binnacle/v1/branches/${encodeURIComponent(name)}/changes?${query}`))
    yield* objectsIn(page.items)
    const next = objectIn(page.metadata).continue
    if (typeof next !== 'string') return
    query.set('continue', next)
  }
}

const MARKS: Readonly<Record<string, string>> = { created: '+', updated: '~', deleted: '-' }
const objectOrNone = (value: Json | undefined): JsonObject | undefined => (isJsonObject(value) ? value : undefined)

function conflictText({ change, conflict, group, resource, namespace, name, before, branch, server }: JsonObject): string {
  const [old, here, there] = [before, server, branch].map(objectOrNone)
  const label = `${resource}${group === '' ? '' : `.${group}`}/${name}${namespace === '' ? '' : ` in ${namespace}`}`
  const lines = [`${MARKS[String(change)] ?? '?'} ${label}`]
  if (change === 'updated') lines.push(...fieldLines(old, there, '    '))
  if (conflict === true) {
    lines.push(
      here === undefined
        ? '  ! deleted on the server since'
        : old === undefined
          ? '  ! created on the server since, too'
          : '  ! changed on the server since:',
    )
    if (here !== undefined && old !== undefined) lines.push(...fieldLines(old, here, '      '))
  }
  return `${lines.map(onOneLine).join('\n')}\n`
}

const fieldLines = (from: JsonObject | undefined, to: JsonObject | undefined, indent: string): string[] =>
  fieldChanges(from, to).map(({ path, from: was, to: is }) => `${indent}${path}: ${excerpt(was)} -> ${excerpt(is)}`)

/** Longer values are truncated. */
const LONGEST = 200
const excerpt = (value: Json | undefined): string => {
  const text = value === undefined ? '(none)' : JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
