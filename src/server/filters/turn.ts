import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Filter } from './filter.ts'

/** Leaves a request to the next turn of the event loop where this turn has had its share: many may come in one poll. */
export const withTurn: Filter = (_ctx, next) => (turnIsSpent() ? nextTurn().then(next) : next())
