import { CidrSet, OutsideRangeError } from '../../../src/cluster/controllers/nodeipam/cidr-set.ts'
import { parseCidr } from '../../../src/meta/ip.ts'

interface SetIn {
  readonly cluster: string
  readonly mask: number
}

function setOf({ cluster, mask }: SetIn): CidrSet {
  const range = parseCidr(cluster)
  if (!range) throw new Error(`${cluster} is no CIDR`)
  return new CidrSet(range, mask)
}

/** The result, or `error` if the CIDR lies outside of the range. */
function orError<T>(compute: () => T): T | 'error' {
  try {
    return compute()
  } catch (error) {
    if (error instanceof OutsideRangeError) return 'error'
    throw error
  }
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'index-to-block': (given: SetIn & { index: number }) => setOf(given).block(given.index),
  'block-to-index'(given: SetIn & { block: string }) {
    const block = parseCidr(given.block)
    return block ? orError(() => setOf(given).index(block.network)) : 'error'
  },
  occupy: (given: SetIn & { cidr: string }) => orError(() => setOf(given).span(given.cidr)),
  events: 'a text: scenarios check it',
}
