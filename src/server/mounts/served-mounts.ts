import type { Listener } from '../any-http.ts'
import type { ChainOptions } from '../handler-chain.ts'

/** Puts mounts in front of what a listener serves. A type of its own: what serves them is loaded where there are any. */
export interface ServedMounts {
  serving<T extends (...args: Parameters<Listener>) => Promise<void>>(app: T, options: ChainOptions): (...args: Parameters<Listener>) => Promise<void>
}
