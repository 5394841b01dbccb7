import type { Pod } from '../../../api/core/v1.types.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { type LabelRequirement, matchesLabels, parseLabelSelector } from '../../../meta/label-selector.ts'
import { requiredLabels } from '../../shared/label-index.ts'

/** Failure to tell which pods belong to the target of an autoscaler. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError'
  /** Reason of the event, whose message is that of the error. */
  readonly reason: string
  /** Reason and message of the condition ScalingActive. */
  readonly condition: { readonly reason: string; readonly message: string }

  constructor(reason: string, message: string, condition = { reason, message }) {
    super(message)
    this.reason = reason
    this.condition = condition
  }
}

/** Parses the selector of a scale. Throws a SelectorError. */
export function targetSelector(selector: string): LabelRequirement[] {
  if (selector === '')
    throw new SelectorError('SelectorRequired', 'selector is required', {
      reason: 'InvalidSelector',
      message: "the HPA target's scale is missing a selector",
    })
  try {
    return parseLabelSelector(selector)
  } catch (error) {
    throw new SelectorError(
      'InvalidSelector',
      `couldn't convert selector into a corresponding internal selector object: ${errorMessage(error)}`,
    )
  }
}

/**
 * Returns the keys of the autoscalers whose selectors match one of the pods, in steps. A selector is compared with pods
 * only if they have all labels that it requires: a namespace may have thousands of autoscalers and pods.
 */
export function* selectingAutoscalers(
  pods: readonly Pod[],
  selectors: Iterable<readonly [key: string, selector: readonly LabelRequirement[]]>,
): Steps<string[]> {
  const texts = new Set<string>()
  for (const { metadata } of pods) {
    if (isStepDone()) yield
    for (const label of Object.entries(metadata.labels ?? {})) {
      if (isStepDone()) yield
      texts.add(label.join('='))
    }
  }
  const selecting: string[] = []
  for (const [key, selector] of selectors) {
    if (isStepDone()) yield
    if (!requiredLabels(selector).every(label => texts.has(label.join('=')))) continue
    for (const { metadata } of pods) {
      if (isStepDone()) yield
      if (!matchesLabels(selector, metadata.labels)) continue
      selecting.push(key)
      break
    }
  }
  return selecting
}

/** Returns the failure of a target that several autoscalers would scale. */
export const ambiguousSelector = (selector: string, keys: readonly string[]): SelectorError =>
  new SelectorError('AmbiguousSelector', `pods by selector ${selector} are controlled by multiple HPAs: [${keys.toSorted().join(' ')}]`)
