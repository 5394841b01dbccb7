import { isSince, type Release } from '../../../lifecycle/release.ts'
import { ALL, flowSchema, groups, type NewLevel, type NewSchema, priorityLevel } from './parts.ts'

/** Levels that flow control requires. Their specs are fixed, except for what the level `exempt` lends. */

const LEVELS: readonly NewLevel[] = [
  priorityLevel('catch-all', {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
  }),
  priorityLevel('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
]

/** The same levels before 1.28, when exempt levels had no fields. */
const OLD_LEVELS = LEVELS.map(({ spec: { exempt: _, ...spec }, ...level }) => ({ ...level, spec }))

/**
 * Returns the mandatory levels. `exempt` never queues; `catch-all` is for requests that match no other schema. The
 * server reverts changes to them.
 */
export const mandatoryLevels = (release: Release): readonly NewLevel[] => (isSince(release, '1.28') ? LEVELS : OLD_LEVELS)

/** The first and the last schema to match: all requests of system:masters, and all requests. */
export const MANDATORY_SCHEMAS: readonly NewSchema[] = [
  flowSchema('exempt', { level: 'exempt', precedence: 1, subjects: groups('system:masters'), ...ALL }),
  flowSchema('catch-all', {
    level: 'catch-all',
    precedence: 10_000,
    by: 'ByUser',
    subjects: groups('system:unauthenticated', 'system:authenticated'),
    ...ALL,
  }),
]
