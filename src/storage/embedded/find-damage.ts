import { onOneLine } from '../../lib/printable.ts'
import { checkInTurns, type Damage, type StoreCheck } from './check-store.ts'
import { decodeLatest } from './layout.ts'

/** Limit on recorded damages. Further ones are only counted. */
const MOST_DAMAGES = 10_000

/** Result of a search for damage. The store is sound if `damages` is empty. */
export interface DamageReport extends StoreCheck {
  /** One line for each damaged key, or for rows whose keys cannot be read. */
  readonly lines: readonly string[]
  /** Number of damages beyond those of `lines`. */
  readonly more: number
  /** Damages, in the order in which they were found. */
  readonly damages: readonly Damage[]
}

/** Finds damage in a store that no process has open. Keys of records that cannot be read are taken from `latest`. */
export async function findDamage(dir: string): Promise<DamageReport> {
  const damages: Damage[] = []
  /**
   * Kinds of damage recorded so far. The first of each kind is recorded even beyond the limit, because `salvage`
   * depends on the kinds.
   */
  const kinds = new Set<string>()
  let more = 0
  const check = await checkInTurns(dir, {
    damage(damage) {
      const kind = `${damage.table} ${damage.isOfSpace}`
      if (damages.length < MOST_DAMAGES || !kinds.has(kind)) damages.push(damage)
      else more++
      kinds.add(kind)
    },
  })
  const named = damages.some(({ revisions }) => revisions !== undefined) ? await damagedKeys(dir, damages) : undefined
  const lines = damages.flatMap(damage => named?.get(damage) ?? [damage.line])
  return { ...check, lines: lines.slice(0, MOST_DAMAGES), more: more + Math.max(0, lines.length - MOST_DAMAGES), damages }
}

/** Returns lines for each existing key whose newest record is damaged. */
async function damagedKeys(dir: string, damages: readonly Damage[]): Promise<Map<Damage, string[]>> {
  const named = new Map<Damage, string[]>()
  const damageAt = byRevision(damages)
  let count = 0
  await checkInTurns(dir, {
    damage() {},
    row(table, key, value) {
      if (table !== 'latest' || count >= MOST_DAMAGES) return
      const { modRevision, live } = decodeLatest(value)
      const damage = live ? damageAt(modRevision) : undefined
      if (damage === undefined) return
      count++
      const lines = named.get(damage) ?? []
      lines.push(`${onOneLine(key.toString())}: its value, revision ${modRevision}, is damaged (${damage.line})`)
      named.set(damage, lines)
    },
  })
  return named
}

/** Returns a function that finds the damage of a revision, by binary search. */
function byRevision(damages: readonly Damage[]): (revision: number) => Damage | undefined {
  const ordered = damages.flatMap(damage => (damage.revisions ? [{ damage, first: damage.revisions[0], last: damage.revisions[1] }] : []))
  ordered.sort((a, b) => a.first - b.first)
  return revision => {
    let low = 0
    let high = ordered.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ordered[middle]?.first ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    const found = ordered[low - 1]
    return found !== undefined && revision <= found.last ? found.damage : undefined
  }
}
