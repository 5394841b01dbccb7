import type { JsonObject } from '../../api/meta/object.ts'
import { ClusterError } from '../../clients/cluster-client.ts'
import { ArgumentError, type Arguments, type Streams } from '../../lib/arguments.ts'
import { onOneLine } from '../../lib/printable.ts'
import { textDiff } from '../../lib/unified-diff.ts'
import { fieldChanges } from './field-changes.ts'
import { momentAt, type ObjectContext, objectAt, type ResolvedMoment, runObjectCommand } from './object-command.ts'
import { momentText, withoutManagedFields, yamlText } from './show.ts'

const USAGE = `Usage: binnacle diff KIND/NAME --from MOMENT [--to MOMENT]

Shows the differences of an object between two moments. Exits with 1 if there are any.

      --from        the first moment
      --to          the second moment (default: now)
  -o, --output      diff: a unified diff of the YAML; json: the changed fields
`

const COMMAND = { options: { from: 'value', to: 'value' }, usage: USAGE, outputs: ['diff', 'json'] } as const

/** Runs the command. Resolves with the exit status. */
export const runDiff = (argv: readonly string[], streams: Streams): Promise<number> =>
  runObjectCommand(argv, { ...COMMAND, check: given => void fromOf(given) }, streams, context => diff(context, streams))

function fromOf(given: Arguments): string {
  const from = given.value('from')
  if (from === undefined) throw new ArgumentError('--from is required: the first of the two moments')
  return from
}

async function diff({ given, client, object }: ObjectContext, { out }: Streams): Promise<number> {
  const moments = [await momentAt(client, fromOf(given)), await momentAt(client, given.value('to') ?? 'now')] as const
  const [before, after] = [await objectAt(client, object, moments[0].revision), await objectAt(client, object, moments[1].revision)]
  if (before === undefined && after === undefined)
    throw new ClusterError(`there was no ${object.label} at ${momentText(moments[0])}, nor at ${momentText(moments[1])}`, 404)
  if (given.value('output') === 'json') {
    const changes = fieldChanges(before, after)
    out(
      `${JSON.stringify({ from: { ...moments[0], exists: before !== undefined }, to: { ...moments[1], exists: after !== undefined }, changes }, undefined, 4)}\n`,
    )
    return changes.length > 0 ? 1 : 0
  }
  const text = diffText(object.label, { object: before, moment: moments[0] }, { object: after, moment: moments[1] })
  out(text)
  return text === '' ? 0 : 1
}

interface ObjectState {
  /** Undefined if the object did not exist. */
  readonly object: JsonObject | undefined
  readonly moment: ResolvedMoment
}

/** Returns a unified diff of the objects as YAML, without managed fields. Empty if they are equal. */
export function diffText(label: string, before: ObjectState, after: ObjectState): string {
  const [old, now] = [before, after].map(({ object }) => (object === undefined ? '' : yamlText(withoutManagedFields(object)))) as [
    string,
    string,
  ]
  if (old === now) return ''
  const nameOf = ({ object, moment }: ObjectState): string => `${object === undefined ? 'none' : onOneLine(label)}\t${momentText(moment)}`
  return `--- ${nameOf(before)}\n+++ ${nameOf(after)}\n${textDiff(old, now)}`
}
