import type { Features } from '../../../lifecycle/gates.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { selectorRules } from '../../shared/selector-rules.ts'
import { storedTexts } from '../expressions.ts'
import type { MutatingWebhook, MutatingWebhookConfiguration } from '../v1.types.ts'
import { speaksAcceptedVersion } from './review-versions.ts'

/** A validating webhook, and its configuration, are the same without a reinvocationPolicy. */
export type Webhook = MutatingWebhook
export type WebhookConfiguration = MutatingWebhookConfiguration

export const QUIET_SIDE_EFFECTS: readonly string[] = ['None', 'NoneOnDryRun']

/** Faults that an update may have, because the old object has them from a time when less was checked. */
export interface Tolerated {
  readonly anySideEffects: boolean
  readonly anyReviewVersion: boolean
  readonly repeatedNames: boolean
  readonly badLabelValues: boolean
  /** The conditions are those of the old object, and not looked at. */
  readonly sameConditions: boolean
  /** Expressions of conditions that the old object has. */
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
 * What a write of these webhooks tolerates; `old` is absent on create. One old webhook with a fault excuses all new ones; conditions are the same only where each webhook has those of the old
 * one in its place.
 */
export function toleratedBy(old: readonly Webhook[] | undefined, next: readonly Webhook[], features: Features): Tolerated {
  const selectors = (old ?? []).flatMap(({ namespaceSelector, objectSelector }) => [namespaceSelector, objectSelector])
  const badLabelValues = selectorRules(features, ...selectors).allowInvalidValues === true
  if (!old) return { ...NOTHING_TOLERATED, badLabelValues }
  return {
    anySideEffects: old.some(({ sideEffects }) => sideEffects === null || !QUIET_SIDE_EFFECTS.includes(sideEffects)),
    anyReviewVersion: old.some(({ admissionReviewVersions: versions }) => versions !== null && versions.length > 0 && !speaksAcceptedVersion(versions)),
    repeatedNames: new Set(old.map(({ name }) => name)).size < old.length,
    badLabelValues,
    sameConditions: old.length === next.length && old.every(({ matchConditions }, i) => deepEqual(matchConditions, next[i]?.matchConditions)),
    storedConditions: storedTexts(
      old.flatMap(({ matchConditions }) => matchConditions ?? []),
      'expression',
    ),
  }
}
