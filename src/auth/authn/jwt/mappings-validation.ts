import { childrenOf, type Expr } from '../../../cel/ast.ts'
import { OPTIONAL_SELECT } from '../../../cel/operators.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { duplicate, type FieldError, invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDomainPrefixedPath } from '../../../meta/names.ts'
import type { ClaimMappings, PrefixedClaim } from './configuration.ts'
import type { ClaimExpression } from './expressions.ts'
import { besides, type CompiledRule, notSupported } from './rules-validation.ts'
import { compiledOrError, type Validated, type ValidationRules } from './validation-rules.ts'

/** Mappings that are expressions, compiled. */
export interface CompiledMappings {
  readonly username: ClaimExpression | undefined
  readonly groups: ClaimExpression | undefined
  readonly uid: ClaimExpression | undefined
  readonly extra: readonly { readonly key: string; readonly compiled: ClaimExpression }[]
}

const EMAIL =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression'

/**
 * Validates the claim mappings. Errors are in kube-apiserver's order and words. @param claimRules compiled rules, which
 * may check `email_verified`.
 */
export function validateMappings(
  mappings: ClaimMappings,
  path: FieldPath,
  rules: ValidationRules,
  claimRules: readonly CompiledRule[],
): Validated<CompiledMappings> {
  const errors = rules.structured ? [] : withoutGate(mappings, path, rules)
  const username = validatePrefixed(mappings.username, path.child('username'), rules, true)
  const groups = validatePrefixed(mappings.groups, path.child('groups'), rules, false)
  const uid = validateUid(mappings.uid, path.child('uid'), rules)
  const extra = validateExtra(mappings.extra, path.child('extra'), rules)
  errors.push(...username.errors, ...groups.errors, ...uid.errors, ...extra.errors)
  const compiled = { username: username.compiled, groups: groups.compiled, uid: uid.compiled, extra: extra.compiled }
  if (
    rules.structured &&
    isSince(rules.release, '1.30') &&
    username.errors.length === 0 &&
    username.compiled &&
    usesClaim(username.compiled.root, 'email')
  ) {
    const looked = [username.compiled, ...extra.compiled.map(entry => entry.compiled), ...claimRules.map(rule => rule.compiled)]
    if (!looked.some(({ root }) => usesClaim(root, 'email_verified')))
      errors.push(invalid(path.child('username', 'expression'), mappings.username.expression, EMAIL))
  }
  return { errors, compiled }
}

/** Errors for mappings that require StructuredAuthenticationConfiguration. */
function withoutGate({ username, groups, uid, extra }: ClaimMappings, path: FieldPath, { release }: ValidationRules): FieldError[] {
  const errors: FieldError[] = []
  const later = isSince(release, '1.34')
  if (username.expression !== '')
    errors.push(invalid(path.child('username', 'expression'), username.expression, notSupported('expression', release)))
  if (groups.expression !== '')
    errors.push(invalid(path.child('groups', 'expression'), groups.expression, notSupported('expression', release)))
  if (uid.claim !== '' || uid.expression !== '') errors.push(invalid(path.child('uid'), '', mappingUnsupported(later ? '' : 'uid ')))
  if (extra.length > 0) errors.push(invalid(path.child('extra'), '', mappingUnsupported(later ? '' : 'extra ')))
  return errors
}

const mappingUnsupported = (which: string): string =>
  `${which}claim mapping is not supported when StructuredAuthenticationConfiguration feature gate is disabled`

const BOTH = "claim and expression can't both be set"

function validatePrefixed(
  { claim, expression, prefix }: PrefixedClaim,
  path: FieldPath,
  rules: ValidationRules,
  isRequired: boolean,
): Validated<ClaimExpression | undefined> {
  if (claim !== '' && expression !== '') return { errors: [invalid(path, '', BOTH)], compiled: undefined }
  if (expression !== '') {
    const errors = prefix === undefined ? [] : [invalid(path.child('prefix'), prefix, besides('prefix', 'expression', rules.release))]
    return { compiled: compiledOrError(rules, { expression, subject: 'claims', result: 'any' }, path.child('expression'), errors), errors }
  }
  if (claim === '') return { errors: isRequired ? [required(path, 'claim or expression is required')] : [], compiled: undefined }
  const hint = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing'
  return { errors: prefix === undefined ? [required(path.child('prefix'), hint)] : [], compiled: undefined }
}

function validateUid(
  { claim, expression }: ClaimMappings['uid'],
  path: FieldPath,
  rules: ValidationRules,
): Validated<ClaimExpression | undefined> {
  if (claim !== '' && expression !== '') return { errors: [invalid(path, '', BOTH)], compiled: undefined }
  const errors: FieldError[] = []
  if (expression === '') return { errors, compiled: undefined }
  return { compiled: compiledOrError(rules, { expression, subject: 'claims', result: 'any' }, path.child('expression'), errors), errors }
}

/** Validates the extra mappings. Errors are in kube-apiserver's order. */
function validateExtra(extra: ClaimMappings['extra'], path: FieldPath, rules: ValidationRules): Validated<CompiledMappings['extra']> {
  const errors: FieldError[] = []
  const compiled: { key: string; compiled: ClaimExpression }[] = []
  const seen = new Set<string>()
  for (const [i, { key, valueExpression: expression }] of extra.entries()) {
    const at = path.index(i)
    errors.push(...keyErrors(key, at.child('key'), rules))
    if (seen.has(key)) {
      errors.push(duplicate(at.child('key'), key))
      continue
    }
    seen.add(key)
    const value = at.child('valueExpression')
    if (expression === '') errors.push(required(value, isSince(rules.release, '1.34') ? '' : 'valueExpression is required'))
    else {
      const program = compiledOrError(rules, { expression, subject: 'claims', result: 'any' }, value, errors)
      if (program) compiled.push({ key, compiled: program })
    }
  }
  return { errors, compiled }
}

const RESERVED = ['kubernetes.io', 'k8s.io']

/** Errors of an extra key: a lower-case, domain-prefixed path outside the reserved domains. */
function keyErrors(key: string, path: FieldPath, { release }: ValidationRules): FieldError[] {
  const errors = key === '' ? [required(path)] : isDomainPrefixedPath(key).map(({ part, text }) => invalid(path, part, text))
  if (key !== key.toLowerCase()) errors.push(invalid(path, key, isSince(release, '1.34') ? 'must be lowercase' : 'key must be lowercase'))
  const domain = key.slice(0, Math.max(key.indexOf('/'), 0))
  if (isSince(release, '1.32') && RESERVED.some(reserved => domain === reserved || domain.endsWith(`.${reserved}`)))
    errors.push(invalid(path, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'))
  return errors
}

/**
 * Whether an expression selects a claim by name: `claims.email`, `claims.?email` or `has(claims.email)`. As upstream,
 * ignores index expressions such as `claims['email']`.
 */
function usesClaim(expr: Expr, claim: string): boolean {
  if (expr.kind === 'select' && expr.field === claim && isClaims(expr.operand)) return true
  if (expr.kind === 'call' && expr.name === OPTIONAL_SELECT && expr.target === undefined) {
    const [operand, field] = expr.args
    if (operand && isClaims(operand) && field?.kind === 'literal' && field.literal.value === claim) return true
  }
  return childrenOf(expr).some(child => usesClaim(child, claim))
}

const isClaims = (expr: Expr): boolean => expr.kind === 'ident' && expr.name === 'claims'
