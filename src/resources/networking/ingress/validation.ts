import type { Ingress, IngressSpec, IngressTLS } from '../../../api/networking/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { type Steps, someInSteps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { appendErrors, invalid, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { isDns1123Subdomain, nameIsDns1035Label, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { legacyAddresses } from '../../shared/legacy-addresses.ts'
import { serviceNameRule, validateBackend } from './backend.ts'
import { CLASS_ANNOTATION } from './class-annotation.ts'
import { isWildcard, validateHostName, validateIngressRules, validateNotAddress, validateRuleValue } from './rules.ts'

const secretNameFaults = (name: string | undefined): string[] => (name ? nameIsDnsSubdomain(name, false) : [])

const validateTls = (entries: readonly IngressTLS[], keepSecretNames: boolean, path: FieldPath): Steps<FieldError[]> =>
  itemErrors(entries, path, function* ({ hosts = [], secretName }, at) {
    const errors = yield* itemErrors(hosts, at.child('hosts'), validateHostName)
    if (!keepSecretNames) errors.push(...secretNameFaults(secretName).map(text => invalid(at.child('secretName'), secretName, text)))
    return errors
  })

/** Validates the spec. The new object may keep faults that the old one has from a time when less was validated. */
function* validateIngressSpec(spec: IngressSpec, old: IngressSpec | undefined, features: Features, path: FieldPath): Steps<FieldError[]> {
  const { rules = [], ingressClassName: className } = spec
  const keepSecretNames = yield* someInSteps(old?.tls ?? [], ({ secretName }) => secretNameFaults(secretName).length > 0)
  const keepWildcards = yield* someInSteps(
    old?.rules ?? [],
    rule => isWildcard(rule.host ?? '') && validateRuleValue(rule, nameIsDns1035Label, path).length > 0,
  )
  const validateName = yield* serviceNameRule(old, features)
  const errors: FieldError[] = []
  if (rules.length === 0 && !spec.defaultBackend) {
    errors.push(
      invalid(
        path,
        verbatim('[]networking.IngressRule(nil)', () => 'null'),
        'either `defaultBackend` or `rules` must be specified',
      ),
    )
  }
  if (spec.defaultBackend) errors.push(...validateBackend(spec.defaultBackend, validateName, path.child('defaultBackend')))
  appendErrors(errors, yield* validateIngressRules(rules, keepWildcards, validateName, path.child('rules')))
  yield
  appendErrors(errors, yield* validateTls(spec.tls ?? [], keepSecretNames, path.child('tls')))
  if (className !== undefined)
    errors.push(...nameIsDnsSubdomain(className, false).map(text => invalid(path.child('ingressClassName'), className, text)))
  return errors
}

/**
 * Validates an ingress, which has a default backend or rules. An update may keep the wildcard hosts and secret names
 * that the old object was allowed to have. Source: pkg/apis/networking/validation in k8s.io/kubernetes.
 */
export function* validateIngress(
  next: Ingress,
  old: Ingress | undefined,
  { features }: Pick<HookContext, 'features'>,
): Steps<FieldError[]> {
  const errors = yield* validateIngressSpec(next.spec, old?.spec, features, fieldPath('spec'))
  const annotation = next.metadata.annotations?.[CLASS_ANNOTATION]
  const className = next.spec.ingressClassName
  if (!old && annotation !== undefined && className !== undefined && annotation !== className) {
    const path = fieldPath('annotations').child(CLASS_ANNOTATION)
    errors.push(invalid(path, annotation, 'must match `ingressClassName` when both are specified'))
  }
  return errors
}

/** Validates the status: addresses and ports of the load balancer. */
export function validateIngressStatus(
  { status }: Ingress,
  old: Ingress | undefined,
  { features }: Pick<HookContext, 'features'>,
): Steps<FieldError[]> {
  const addresses = legacyAddresses(
    features,
    old?.status.loadBalancer.ingress?.flatMap(({ ip }) => ip ?? []),
  )
  return itemErrors(status.loadBalancer.ingress ?? [], fieldPath('status', 'loadBalancer', 'ingress'), ({ ip, hostname }, at) => {
    const errors = ip ? addresses.ip(ip, at.child('ip')) : []
    if (!hostname) return errors
    const host = at.child('hostname')
    return [...errors, ...isDns1123Subdomain(hostname).map(text => invalid(host, hostname, text)), ...validateNotAddress(hostname, host)]
  })
}
