import { isSince } from '../../../lifecycle/release.ts'
import { duplicate, type FieldError, forbidden, invalid, required, tooMany, verbatim } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import type { AnonymousConfiguration, AuthenticationConfiguration, JwtConfiguration } from './configuration.ts'
import { issuerErrors } from './issuer-validation.ts'
import { type CompiledMappings, validateMappings } from './mappings-validation.ts'
import { type CompiledRule, validateClaimRules, validateUserRules } from './rules-validation.ts'
import type { Validated, ValidationRules } from './validation-rules.ts'

/** Configuration of an issuer with compiled expressions. */
export interface CompiledJwt {
  readonly configuration: JwtConfiguration
  readonly mappings: CompiledMappings
  readonly claimRules: readonly CompiledRule[]
  readonly userRules: readonly CompiledRule[]
}

const MOST_ISSUERS = 64

/** Validates a configuration and compiles its issuers. Errors are in kube-apiserver's order and words. */
export function validateConfiguration(
  { jwt, anonymous }: AuthenticationConfiguration,
  rules: ValidationRules,
): Validated<readonly CompiledJwt[]> {
  const root = fieldPath('jwt')
  const isSeveral = isSince(rules.release, '1.30')
  if (jwt.length === 0 && !isSeveral) return { errors: [required(root, 'at least one jwt is required')], compiled: [] }
  const most = isSeveral ? MOST_ISSUERS : 1
  if (jwt.length > most) return { errors: [tooMany(root, jwt.length, most)], compiled: [] }
  const errors: FieldError[] = []
  const compiled: CompiledJwt[] = []
  const issuers = new Set<string>()
  const discoveries = new Set<string>()
  for (const [i, each] of jwt.entries()) {
    const path = root.index(i)
    const found = validateJwt(each, path, rules)
    errors.push(...found.errors)
    compiled.push(found.compiled)
    const { url, discoveryURL } = each.issuer
    if (issuers.has(url)) errors.push(duplicate(path.child('issuer', 'url'), url))
    issuers.add(url)
    if (discoveryURL === '') continue
    if (discoveries.has(discoveryURL)) errors.push(duplicate(path.child('issuer', 'discoveryURL'), discoveryURL))
    discoveries.add(discoveryURL)
  }
  return { errors: [...errors, ...(anonymous ? anonymousErrors(anonymous, rules) : [])], compiled }
}

/** Validates and compiles one issuer. */
function validateJwt(configuration: JwtConfiguration, path: FieldPath, rules: ValidationRules): Validated<CompiledJwt> {
  const issuer = issuerErrors(configuration.issuer, path.child('issuer'), rules)
  const claimRules = validateClaimRules(configuration.claimValidationRules, path.child('claimValidationRules'), rules)
  const mappings = validateMappings(configuration.claimMappings, path.child('claimMappings'), rules, claimRules.compiled)
  const userRules = validateUserRules(configuration.userValidationRules, path.child('userValidationRules'), rules)
  return {
    errors: [...issuer, ...claimRules.errors, ...mappings.errors, ...userRules.errors],
    compiled: { configuration, mappings: mappings.compiled, claimRules: claimRules.compiled, userRules: userRules.compiled },
  }
}

/** Errors of anonymous access. */
function anonymousErrors({ enabled, conditions }: AnonymousConfiguration, { release, anonymousEndpoints }: ValidationRules): FieldError[] {
  const errors: FieldError[] = []
  // The gate is misspelt in upstream's message before 1.35.
  const gate = isSince(release, '1.35') ? 'AnonymousAuthConfigurableEndpoints' : 'AnonymousAuthConfigurableEnpoints'
  if (!anonymousEndpoints)
    errors.push(forbidden(fieldPath('anonymous'), `anonymous is not supported when ${gate} feature gate is disabled`))
  if (!enabled && conditions.length > 0) {
    const value = verbatim(isSince(release, '1.34') ? conditionsJson(conditions) : goOf(conditions))
    errors.push(invalid(fieldPath('anonymous', 'conditions'), value, 'enabled should be set to true when conditions are defined'))
  }
  return errors
}

/** Upstream prints its internal Go type, whose JSON members have the names of the Go fields. */
const conditionsJson = (conditions: AnonymousConfiguration['conditions']): string =>
  JSON.stringify(conditions.map(({ path }) => ({ Path: path })))

const goOf = (conditions: AnonymousConfiguration['conditions']): string =>
  `[]apiserver.AnonymousAuthCondition{${conditions.map(({ path }) => `apiserver.AnonymousAuthCondition{Path:${JSON.stringify(path)}}`).join(', ')}}`
