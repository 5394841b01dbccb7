import type { WebhookClientConfig } from '../../../api/admissionregistration/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { appendErrors, duplicate, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { labelSelectorErrors } from '../../../meta/label-selector.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import { validateSelectorsInSteps } from '../../shared/selector-rules.ts'
import { validateWebhookService, validateWebhookUrl } from '../../shared/webhook-client.ts'
import { validateOneOf } from '../../shared/word-lists.ts'
import { validateMatchConditions } from '../match-conditions.ts'
import { MATCH_POLICIES } from '../match-resources.ts'
import { FAILURE_POLICIES, REINVOCATION_POLICIES } from '../policies.ts'
import { validateWebhookRule } from '../rules.ts'
import { validateReviewVersions } from './review-versions.ts'
import { QUIET_SIDE_EFFECTS, type Tolerated, toleratedBy, type Webhook, type WebhookConfiguration } from './tolerated.ts'

const WEBHOOKS = fieldPath('webhooks')
const SIDE_EFFECTS = enumValues('admissionregistration.SideEffectClass')

/** Checks that a name has at least three segments. */
function validateName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [required(path)]
  const texts = isDns1123Subdomain(name)
  if (texts.length > 0) return [invalid(path, name, texts.join(','))]
  return name.split('.').length < 3 ? [invalid(path, name, 'should be a domain with at least three segments separated by dots')] : []
}

/** Validates the client configuration, without its CA bundle. */
function validateClientConfig({ url, service }: WebhookClientConfig, path: FieldPath): FieldError[] {
  if (url !== undefined && !service) return validateWebhookUrl(url, path.child('url'))
  if (url === undefined && service) return validateWebhookService(service, path.child('service'))
  return [required(path, 'exactly one of url or service is required')]
}

/**
 * Validates a webhook. Side effects must be declared, and must be none in a dry run, unless the old object predates
 * that rule. The timeout is in seconds.
 */
function* validateWebhook(hook: Webhook, tolerated: Tolerated, features: Features, path: FieldPath): Steps<FieldError[]> {
  const { rules = [], sideEffects, timeoutSeconds } = hook
  const errors = validateName(hook.name, path.child('name'))
  appendErrors(errors, yield* itemErrors(rules, path.child('rules'), validateWebhookRule))
  errors.push(...validateOneOf(hook.failurePolicy, FAILURE_POLICIES, path.child('failurePolicy')))
  errors.push(...validateOneOf(hook.matchPolicy, MATCH_POLICIES, path.child('matchPolicy')))
  const allowed = tolerated.anySideEffects ? SIDE_EFFECTS : QUIET_SIDE_EFFECTS
  if (sideEffects === null) errors.push(required(path.child('sideEffects'), `must specify one of ${allowed.join(', ')}`))
  else errors.push(...validateOneOf(sideEffects, allowed, path.child('sideEffects')))
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    errors.push(invalid(path.child('timeoutSeconds'), timeoutSeconds, 'the timeout value must be between 1 and 30 seconds'))
  }
  for (const member of ['namespaceSelector', 'objectSelector'] as const) {
    const selector = hook[member]
    const selectorRules = { allowInvalidValues: tolerated.badLabelValues }
    if (selector) appendErrors(errors, yield* labelSelectorErrors(selector, path.child(member), selectorRules))
  }
  errors.push(...validateOneOf(hook.reinvocationPolicy, REINVOCATION_POLICIES, path.child('reinvocationPolicy')))
  errors.push(...validateClientConfig(hook.clientConfig, path.child('clientConfig')))
  if (!tolerated.sameConditions) {
    const use = { params: false, stored: tolerated.storedConditions, features }
    errors.push(...(yield* validateMatchConditions(hook.matchConditions, use, path.child('matchConditions'))))
  }
  return errors
}

/**
 * Validates the webhooks of both kinds of configurations; only mutating webhooks have a reinvocationPolicy. Names must
 * be unique within a configuration. Yields at least once for each webhook. Source:
 * pkg/apis/admissionregistration/validation in k8s.io/kubernetes.
 */
export function* validateWebhooks(
  next: WebhookConfiguration,
  old: WebhookConfiguration | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const hooks = next.webhooks ?? []
  for (const { namespaceSelector, objectSelector } of old?.webhooks ?? []) {
    if (isLongStepDone()) yield
    yield* validateSelectorsInSteps(undefined, WEBHOOKS, namespaceSelector, features)
    yield* validateSelectorsInSteps(undefined, WEBHOOKS, objectSelector, features)
  }
  const tolerated = toleratedBy(old && (old.webhooks ?? []), hooks, features)
  const names = new Set<string>()
  const errors: FieldError[] = []
  for (const [i, hook] of hooks.entries()) {
    const path = WEBHOOKS.index(i)
    errors.push(...(yield* validateWebhook(hook, tolerated, features, path)))
    errors.push(
      ...(yield* validateReviewVersions(
        hook.admissionReviewVersions ?? [],
        tolerated.anyReviewVersion,
        path.child('admissionReviewVersions'),
      )),
    )
    if (!tolerated.repeatedNames && names.has(hook.name)) errors.push(duplicate(path.child('name'), hook.name))
    if (hook.name) names.add(hook.name)
    yield
  }
  return errors
}
