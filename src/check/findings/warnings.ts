import type { Release } from '../../lifecycle/release.ts'
import type { WhyStep } from '../../meta/why.ts'
import { type KindName, standingIn } from '../../upgrade/versions/old-versions.ts'
import type { InputObject } from '../input/input-object.ts'
import { locateField } from '../input/position.ts'
import type { CheckFinding } from '../types.ts'
import { objectFinding } from './finding.ts'

/**
 * Findings about the `Warning` headers of a response. Unknown fields are errors, as kubectl requests strict validation.
 */
export function warningFindings(
  object: InputObject,
  warnings: readonly string[],
  steps: readonly WhyStep[],
  release: Release,
): CheckFinding[] {
  return warnings.flatMap(text => {
    const unknown = quotedIn(text, 'unknown field ')
    if (unknown !== undefined)
      return [objectFinding(object, 'unknown-field', 'error', text, { field: unknown, advice: 'correct or remove the field' })]
    return [warningFinding(object, text, steps, release)]
  })
}

/** Returns the quoted text after a prefix, if there is nothing behind it. */
function quotedIn(text: string, prefix: string): string | undefined {
  return text.startsWith(`${prefix}"`) && text.endsWith('"') ? text.slice(prefix.length + 1, -1) : undefined
}

const POLICY = /^Validation failed for ValidatingAdmissionPolicy '([^']*)' with binding '([^']*)': /
const DEPRECATION = / is deprecated(?: in v1\.\d+\+|;|$)/

function warningFinding(object: InputObject, text: string, steps: readonly WhyStep[], release: Release): CheckFinding {
  const [, policy] = POLICY.exec(text) ?? []
  if (policy !== undefined) return objectFinding(object, 'policy-warning', 'warning', text, { by: policy })
  if (DEPRECATION.test(text) && text.startsWith(`${object.apiVersion} ${object.kind} `)) return deprecation(object, text, release)
  if (text.includes('violate PodSecurity')) return objectFinding(object, 'pod-security', 'warning', text, { by: 'PodSecurity' })
  const webhook = steps.find(step => step.step === 'webhook')
  const field = /^([A-Za-z][\w.[\]/-]*?)(?:: |$)/.exec(text)?.[1]
  const isField = field !== undefined && locateField(object.node, field).isExact
  return objectFinding(object, 'server-warning', 'warning', text, { ...(isField && { field }), ...(webhook && { by: webhook.webhook }) })
}

function deprecation(object: InputObject, text: string, release: Release): CheckFinding {
  const advice = adviceOf(object, release)
  return objectFinding(object, 'deprecated-version', 'warning', text, { field: 'apiVersion', advice })
}

/** Returns how to move to the version that replaces another one. */
export function adviceOf(name: KindName, release: Release): string | undefined {
  const life = standingIn(release, name)?.life
  if (life?.replacement === undefined) return undefined
  const [apiVersion] = life.replacement.split(' ')
  return `use ${apiVersion}, or run binnacle convert -f FILE --to ${release}`
}
