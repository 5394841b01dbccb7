import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Filter } from './filter.ts'

/** Defers a request to the next turn of the event loop if this one is spent: one poll may bring many requests. */
export const withTurn: Filter = (_ctx, next) => (turnIsSpent() ? nextTurn().then(next) : next())
