import { seededRandom } from '../../src/lib/seeded-random.ts'
import type { Schema } from '../../src/schema/schema.ts'
import { bodyWithKey, filledBody, type LargePlace, largePlaces } from './large-bodies.ts'
import { jsonPatch, LARGE_VERBS, type LargeKind, type LargeRequest, type LargeVerb, requestOf } from './large-requests.ts'
import { type PumpedText, pumped, pumpedName, pumpedTexts } from './pumped-texts.ts'

/** A text of a kind's object that a request can make long: a value, a key of a map, or the same value in many items. */
export interface PumpedCase {
  readonly kind: LargeKind
  readonly place: LargePlace
  readonly form: 'value' | 'key' | 'many'
  readonly text: PumpedText
  readonly verb: LargeVerb
}

/**
 * Lengths just under the limits that fields have (label values 63, names 253, and so on up to the annotations of an
 * object), with smaller ones between: a cost that grows with the fourth power, or doubles with each character, is found
 * before it takes minutes.
 */
export const PUMPED_LENGTHS = [28, 62, 252, 1000, 4000, 62_000]
/** Items of `many`, each of `MANY_LENGTH` characters. */
export const PUMPED_COPIES = [10, 80, 640]
const MANY_LENGTH = 4000

const TEXTS: ReadonlySet<Schema['type']> = new Set<Schema['type']>([
  'string',
  'bytes',
  'time',
  'microTime',
  'duration',
  'quantity',
  'intOrString',
  'json',
  'raw',
])

/**
 * Every place of every kind that holds a text, with every piece. Verbs, beginnings and ends go round: what a text costs
 * depends little on the verb. `everywhere`: each place of each kind, and not once for the type and field that it
 * belongs to.
 */
export function* pumpedCases(
  kinds: readonly LargeKind[],
  { seed, times = 1, everywhere = false }: { seed: number; times?: number; everywhere?: boolean },
): Generator<PumpedCase> {
  const seen = new Set<string>()
  let turn = seed
  for (const kind of kinds)
    for (const place of largePlaces(kind.schema)) {
      const { type } = place.schema
      if ((type !== 'map' && !TEXTS.has(type)) || (!everywhere && seen.has(place.owner))) continue
      seen.add(place.owner)
      for (const text of pumpedTexts(turn, times)) {
        const verb = (turn % 2 === 0 ? 'create' : LARGE_VERBS[(turn >> 1) % LARGE_VERBS.length]) as LargeVerb
        turn++
        if (type === 'map') yield { kind, place, form: 'key', text, verb }
        else yield { kind, place, form: turn % 4 === 0 && isRepeated(place) ? 'many' : 'value', text, verb }
      }
    }
}

/** The cases in an order of the seed, so that any part of them says something of each place, piece, end and verb. */
export function shuffled<T>(cases: readonly T[], seed: number): T[] {
  const random = seededRandom(seed)
  return cases
    .map((one): [number, T] => [random(), one])
    .sort(([a], [b]) => a - b)
    .map(([, one]) => one)
}

const isRepeated = ({ path }: LargePlace): boolean => path.includes('[]') || path.includes('{}')

export const pumpedCaseName = ({ kind, place, form, text, verb }: PumpedCase): string =>
  `${verb} ${kind.path.replace('/namespaces/default', '')} ${place.path.join('.')} ${form} ${pumpedName(text)}`

export const sizesOf = ({ form }: PumpedCase): readonly number[] => (form === 'many' ? PUMPED_COPIES : PUMPED_LENGTHS)

/**
 * The request with a text of so many characters, or of so many items; undefined where the type can't hold it in that
 * form.
 */
export function pumpedRequest({ kind, place, form, text, verb }: PumpedCase, size: number): LargeRequest | undefined {
  const { base } = kind
  const value = JSON.stringify(pumped(text, form === 'many' ? MANY_LENGTH : size))
  const body = form === 'key' ? bodyWithKey(base, place, value) : filledBody(base, place, value, form === 'many' ? size : 1)
  if (body === undefined) return undefined
  if (verb !== 'json') return requestOf(kind, verb, body)
  const member = place.path[0] as string
  return jsonPatch(kind, `/${member}`, JSON.stringify((JSON.parse(body) as Record<string, unknown>)[member]))
}
