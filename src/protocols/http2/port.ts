import type { BufferPool } from '../../lib/buffer-pool.ts'
import { HeaderEncoder } from './header-encoder.ts'
import type { ConnectionLimits } from './limits.ts'
import { slabPool } from './sender.ts'
import { TurnBudget } from './turn-budget.ts'

/** State that the connections of a listening port share. */
export class Http2Port {
  readonly limits: ConnectionLimits
  readonly turns = new TurnBudget()
  readonly slabs: BufferPool = slabPool()
  readonly encoder = new HeaderEncoder()

  constructor(limits: ConnectionLimits) {
    this.limits = limits
  }
}
