import { type Cidr, parseCidr } from '../meta/ip.ts'
import type { FlagReader } from './flag-reader.ts'
import type { FlagName } from './flag-table.ts'
import { FlagError } from './parse-flags.ts'

/** A range of addresses of pods. */
export interface PodRange {
  readonly cidr: string
  /** Prefix length of the block of a node. */
  readonly mask: number
}

const DEFAULT_MASKS = { 4: 24, 6: 64 } as const
const MASK_FLAGS = { 4: 'node-cidr-mask-size-ipv4', 6: 'node-cidr-mask-size-ipv6' } as const satisfies Record<4 | 6, FlagName>

/** Most blocks of a range: 2 to this power. The limit for IPv6 is that of kube-controller-manager. */
const MOST_BITS = { 4: 17, 6: 16 } as const

/** Parses the flags of node-ipam-controller. Returns none if nodes get no addresses. Throws FlagError. */
export function podRangesOf(read: FlagReader): PodRange[] {
  const texts = (read.text('cluster-cidr') ?? '').split(',').filter(text => text !== '')
  if (!read.bool('allocate-node-cidrs')) return []
  if (texts.length > 2) throw new FlagError(`--cluster-cidr: at most two CIDRs are allowed, one of each family; there are ${texts.length}`)
  const ranges = texts.map(text => {
    const cidr = parseCidr(text)
    if (cidr === undefined) throw new FlagError(`--cluster-cidr: ${JSON.stringify(text)} is not a CIDR such as 10.64.0.0/10`)
    return { text, cidr }
  })
  if (ranges.length === 2 && ranges[0]?.cidr.family === ranges[1]?.cidr.family)
    throw new FlagError('--cluster-cidr: two CIDRs must be of different families')
  checkFlags(
    read,
    ranges.map(({ cidr }) => cidr),
  )
  return ranges.map(({ text, cidr }) => ({ cidr: text, mask: maskOf(read, text, cidr) }))
}

/** Rejects combinations of flags as kube-controller-manager does. */
function checkFlags(read: FlagReader, cidrs: readonly Cidr[]): void {
  const isOneGiven = read.isGiven('node-cidr-mask-size')
  if (cidrs.length > 1 && isOneGiven) throw new FlagError('usage of --node-cidr-mask-size is not allowed with dual-stack clusters')
  for (const family of [4, 6] as const) {
    const flag = MASK_FLAGS[family]
    if (!read.isGiven(flag)) continue
    if (isOneGiven)
      throw new FlagError(
        'usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags',
      )
    if (!cidrs.some(cidr => cidr.family === family))
      throw new FlagError(`usage of --${flag} is not allowed for a single-stack IPv${family === 4 ? 6 : 4} cluster`)
  }
}

function maskOf(read: FlagReader, text: string, { family, prefix }: Cidr): number {
  const flag = read.isGiven('node-cidr-mask-size') ? 'node-cidr-mask-size' : MASK_FLAGS[family]
  const mask = read.isGiven(flag) ? read.number(flag) : DEFAULT_MASKS[family]
  const most = Math.min(family === 4 ? 32 : 128, prefix + MOST_BITS[family])
  if (!Number.isInteger(mask) || mask < prefix || mask > most)
    throw new FlagError(`--${flag} ${mask} must be between ${prefix} and ${most} for --cluster-cidr=${text}`)
  return mask
}
