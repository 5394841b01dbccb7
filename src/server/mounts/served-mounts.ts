import type { Listener } from '../any-http.ts'
import type { ChainOptions } from '../handler-chain.ts'

/** Serves mounts in front of a listener's application. Declared separately, so that the implementation is only loaded if there are mounts. */
export interface ServedMounts {
  serving<T extends (...args: Parameters<Listener>) => Promise<void>>(app: T, options: ChainOptions): (...args: Parameters<Listener>) => Promise<void>
}
