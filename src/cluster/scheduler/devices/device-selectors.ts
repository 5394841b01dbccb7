import type { DeviceAttribute } from '../../../api/resource/v1beta2.types.ts'
import { compileInSteps } from '../../../cel/compile.ts'
import { deviceEnvironment } from '../../../cel/device-environment.ts'
import { baseEnvironment } from '../../../cel/environment.ts'
import { QuantityValue } from '../../../cel/functions/quantities.ts'
import { SemverValue } from '../../../cel/functions/semver.ts'
import { makeProgramInSteps, type Program } from '../../../cel/program/program.ts'
import { DefaultedMap } from '../../../cel/values/defaulted-map.ts'
import { ValueMap } from '../../../cel/values/map.ts'
import { StructValue } from '../../../cel/values/struct.ts'
import { typeNameOf, type Value } from '../../../cel/values/value.ts'
import type { Steps } from '../../../lib/steps.ts'
import { turnIsSpent } from '../../../lib/turn.ts'
import { minorOf, type Release } from '../../../lifecycle/release.ts'
import { parseQuantity } from '../../../meta/quantity.ts'
import { parseSemanticVersion } from '../../../meta/semantic-version.ts'
import type { OfferedDevice } from './offered-devices.ts'

/**
 * Reports whether a device matches an expression, in steps: the cost limit allows some 100 ms for each device. Throws
 * an Error if the expression is invalid or fails.
 */
export type DeviceMatcher = (expression: string, device: OfferedDevice) => Steps<boolean>

/** Evaluates an expression for a device, in steps. Throws an Error if the expression is invalid or fails. */
export type DeviceEvaluator = (expression: string, device: OfferedDevice) => Steps<Value>

/** Number of expressions that are kept compiled. */
const MOST_PROGRAMS = 256

/** A compiled expression, or why it is invalid. */
type Compiled = Program | { readonly fault: string }

/**
 * Returns an evaluator that keeps compiled expressions. @param isSharing whether devices may be shared. Gate
 * DRAConsumableCapacity. @param spent ends a step of an evaluation when it returns true
 */
export function deviceEvaluator(release: Release, isSharing = false, spent = turnIsSpent): DeviceEvaluator {
  const minor = minorOf(release)
  const environment = deviceEnvironment(baseEnvironment(minor), minor, isSharing)
  const programs = new Map<string, Compiled>()
  function* programOf(expression: string): Steps<Compiled> {
    const known = programs.get(expression)
    if (known) return known
    const { checked, issues } = yield* compileInSteps(expression, environment)
    const made = checked ? yield* makeProgramInSteps(checked, environment) : { fault: `compilation failed: ${issues}` }
    if (programs.size >= MOST_PROGRAMS) programs.clear()
    programs.set(expression, made)
    return made
  }
  return function* (expression, device) {
    const program = yield* programOf(expression)
    if ('fault' in program) throw new Error(`CEL compile error: ${program.fault}`)
    return yield* evaluated(program, device, spent)
  }
}

/** Returns a matcher that keeps compiled expressions, and their results as long as the devices. */
export function deviceMatcher(release: Release, isSharing = false, spent = turnIsSpent): DeviceMatcher {
  const evaluate = deviceEvaluator(release, isSharing, spent)
  const results = new WeakMap<OfferedDevice, Map<string, boolean>>()
  return function* (expression, device) {
    const before = results.get(device)?.get(expression)
    if (before !== undefined) return before
    const result = yield* evaluate(expression, device)
    if (typeof result !== 'boolean')
      throw new Error(`CEL runtime error: CEL result of type ${typeNameOf(result)} could not be converted to bool`)
    const known = results.get(device)
    if (known) known.set(expression, result)
    else results.set(device, new Map([[expression, result]]))
    return result
  }
}

function* evaluated(program: Program, device: OfferedDevice, spent: () => boolean): Steps<Value> {
  const value = deviceValue(device)
  const outcome = yield* program.evaluateInSteps({ get: name => (name === 'device' ? value : undefined) }, spent)
  if (outcome.error !== undefined) throw new Error(`CEL runtime error: ${outcome.error}`)
  return outcome.value
}

const EMPTY = new ValueMap()

/** Returns a device as expressions see it. An unknown domain has no attributes and no capacities. */
function deviceValue({ driver, device }: OfferedDevice): Value {
  const attributes = Object.entries(device.attributes ?? {}).map(([name, attribute]) => [name, attributeValue(name, attribute)] as const)
  const capacity = Object.entries(device.capacity ?? {}).map(
    ([name, { value }]) => [name, new QuantityValue(parseQuantity(value))] as const,
  )
  const fields = new Map<string, Value>([
    ['driver', driver],
    ['allowMultipleAllocations', device.allowMultipleAllocations ?? false],
    ['attributes', byDomain(attributes, driver)],
    ['capacity', byDomain(capacity, driver)],
  ])
  return new StructValue('kubernetes.DRADevice', fields)
}

function byDomain(values: readonly (readonly [string, Value])[], driver: string): DefaultedMap {
  const domains = new Map<string, ValueMap>()
  for (const [name, value] of values) {
    const slash = name.indexOf('/')
    const domain = slash < 0 ? driver : name.slice(0, slash)
    const map = domains.get(domain) ?? new ValueMap()
    map.set(name.slice(slash + 1), value)
    domains.set(domain, map)
  }
  return new DefaultedMap(domains, EMPTY)
}

function attributeValue(name: string, { int, bool, string, version }: DeviceAttribute): Value {
  const plain = int ?? bool ?? string
  if (plain !== undefined) return plain
  const parsed = version === undefined ? undefined : parseSemanticVersion(version)
  if (parsed) return new SemverValue(parsed)
  throw new Error(
    `CEL runtime error: attribute ${name}: ${version === undefined ? 'unsupported attribute value' : 'parse semantic version'}`,
  )
}
