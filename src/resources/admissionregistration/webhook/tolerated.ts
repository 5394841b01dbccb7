import type { MutatingWebhook, MutatingWebhookConfiguration } from '../../../api/admissionregistration/v1.types.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { selectorRules } from '../../shared/selector-rules.ts'
import { storedTexts } from '../expressions.ts'
import { speaksAcceptedVersion } from './review-versions.ts'

/** A webhook of either kind. That of a validating webhook has no reinvocationPolicy. */
export type Webhook = MutatingWebhook
/** A configuration of either kind. */
export type WebhookConfiguration = MutatingWebhookConfiguration

/** Values of sideEffects that v1 accepts. Only webhooks with these are called in a dry run. */
export const QUIET_SIDE_EFFECTS: readonly string[] = ['None', 'NoneOnDryRun']

/** Faults that an update may keep, because the old object has them from a time when less was validated. */
export interface Tolerated {
  readonly anySideEffects: boolean
  readonly anyReviewVersion: boolean
  readonly repeatedNames: boolean
  readonly badLabelValues: boolean
  /** Whether the conditions equal those of the old object. They are not validated then. */
  readonly sameConditions: boolean
  /** Expressions of the old object's conditions. */
  readonly storedConditions: ReadonlySet<string>
}

const NOTHING_TOLERATED: Tolerated = {
  anySideEffects: false,
  anyReviewVersion: false,
  repeatedNames: false,
  badLabelValues: false,
  sameConditions: false,
  storedConditions: new Set(),
}

/**
 * Returns the faults that a write may keep; `old` is absent on create. One fault in an old webhook excuses all new
 * webhooks. Conditions count as unchanged only if each webhook has those of the old webhook at its index.
 */
export function toleratedBy(old: readonly Webhook[] | undefined, next: readonly Webhook[], features: Features): Tolerated {
  const selectors = (old ?? []).flatMap(({ namespaceSelector, objectSelector }) => [namespaceSelector, objectSelector])
  const badLabelValues = selectorRules(features, ...selectors).allowInvalidValues === true
  if (!old) return { ...NOTHING_TOLERATED, badLabelValues }
  return {
    anySideEffects: old.some(({ sideEffects }) => sideEffects === null || !QUIET_SIDE_EFFECTS.includes(sideEffects)),
    anyReviewVersion: old.some(
      ({ admissionReviewVersions: versions }) => versions !== null && versions.length > 0 && !speaksAcceptedVersion(versions),
    ),
    repeatedNames: new Set(old.map(({ name }) => name)).size < old.length,
    badLabelValues,
    sameConditions:
      old.length === next.length && old.every(({ matchConditions }, i) => deepEqual(matchConditions, next[i]?.matchConditions)),
    storedConditions: storedTexts(
      old.flatMap(({ matchConditions }) => matchConditions ?? []),
      'expression',
    ),
  }
}
