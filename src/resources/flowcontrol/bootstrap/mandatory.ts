import { isSince, type Release } from '../../../lifecycle/release.ts'
import { ALL, flowSchema, groups, type NewLevel, type NewSchema, priorityLevel } from './parts.ts'

/** Objects without which requests could not be sorted. Their specs are fixed, but for what the level `exempt` lends. */

const LEVELS: readonly NewLevel[] = [
  priorityLevel('catch-all', { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } }),
  priorityLevel('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
]

/** As releases before 1.28 have them, which cannot say what an exempt level lends. */
const OLD_LEVELS = LEVELS.map(({ spec: { exempt: _, ...spec }, ...level }) => ({ ...level, spec }))

/** `exempt` never queues, `catch-all` is for what no other schema matches. The server puts back what is changed of them. */
export const mandatoryLevels = (release: Release): readonly NewLevel[] => (isSince(release, '1.28') ? LEVELS : OLD_LEVELS)

/** The first and the last that are tried: everything of system:masters, and everything. */
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
