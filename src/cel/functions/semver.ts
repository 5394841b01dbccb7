import { quote } from '../../lib/go-quote.ts'
import { inUint64, parseInteger } from '../../lib/integer.ts'
import { isStepDone, type Steps } from '../../lib/steps.ts'
import { compareSemanticVersions, type SemanticVersion } from '../../meta/semantic-version.ts'
import { longCall } from '../long-work.ts'
import { toInt } from '../values/integer.ts'
import { CelError, CelObject, noSuchOverload, type Value } from '../values/value.ts'
import type { Implementations } from './implementation.ts'
import { textParts } from './long-texts.ts'

/** A value of `semver()`. Versions that differ only in build metadata are equal. */
export class SemverValue extends CelObject {
  readonly typeName = 'kubernetes.Semver'
  readonly version: SemanticVersion

  constructor(version: SemanticVersion) {
    super()
    this.version = version
  }

  equals(other: Value): boolean | CelError {
    return other instanceof SemverValue ? compareSemanticVersions(this.version, other.version) === 0 : noSuchOverload(other)
  }
}

/** Internal error of the parser, converted to a CelError. */
class SemverFault extends Error {
  override readonly name = 'SemverFault'
}

const fail = (message: string): never => {
  throw new SemverFault(message)
}

/** Parses one of the three version numbers. Throws the parser's message if it is invalid. */
function number(text: string, name: string): bigint {
  if (!/^[0-9]*$/.test(text)) fail(`Invalid character(s) found in ${name} number ${quote(text)}`)
  if (/^0./.test(text)) fail(`${name.charAt(0).toUpperCase()}${name.slice(1)} number must not contain leading zeroes ${quote(text)}`)
  return parseUint(text)
}

/** Parses an unsigned 64-bit integer. */
function parseUint(text: string): bigint {
  if (text === '') fail('strconv.ParseUint: parsing "": invalid syntax')
  const value = parseInteger(text)
  return inUint64(value) ? value : fail(`strconv.ParseUint: parsing ${quote(text)}: value out of range`)
}

/** Checks a dot-separated part of the prerelease: a number without leading zeros, or letters, digits and dashes. */
function checkPrerelease(text: string): void {
  if (text === '') fail('Prerelease is empty')
  if (/^[0-9]+$/.test(text)) {
    if (/^0./.test(text)) fail(`Numeric PreRelease version must not contain leading zeroes ${quote(text)}`)
    parseUint(text)
  } else if (!/^[0-9A-Za-z-]+$/.test(text)) fail(`Invalid character(s) found in prerelease ${quote(text)}`)
}

/** Checks a part of the build metadata, which is not stored because it has no influence on the order. */
function checkBuild(text: string): void {
  if (text === '') fail('Build meta data is empty')
  if (!/^[0-9A-Za-z-]+$/.test(text)) fail(`Invalid character(s) found in build meta data ${quote(text)}`)
}

/** Cuts a text at a mark, and splits the rest at dots, in steps. */
function* cutAndSplit(text: string, mark: string): Steps<[string, string[]]> {
  const at = text.indexOf(mark)
  return at < 0 ? [text, []] : [text.slice(0, at), yield* textParts(text.slice(at + 1), '.')]
}

/** Splits a text at its first two dots. */
function numberTexts(text: string): string[] {
  const first = text.indexOf('.')
  const second = first < 0 ? -1 : text.indexOf('.', first + 1)
  if (first < 0) return [text]
  const major = text.slice(0, first)
  return second < 0 ? [major, text.slice(first + 1)] : [major, text.slice(first + 1, second), text.slice(second + 1)]
}

/** Parses a version in steps, with the checks and messages of blang/semver, in its order. */
function* parseSemver(text: string): Steps<SemanticVersion> {
  if (text === '') fail('Version string empty')
  const [major = '', minor = '', rest] = numberTexts(text)
  if (rest === undefined) return fail('No Major.Minor.Patch elements found')
  const first = number(major, 'major')
  const second = number(minor, 'minor')
  const [withoutBuild, build] = yield* cutAndSplit(rest, '+')
  const [patch, prerelease] = yield* cutAndSplit(withoutBuild, '-')
  const numbers = [first, second, number(patch, 'patch')] as const
  for (const each of prerelease) {
    if (isStepDone()) yield
    checkPrerelease(each)
  }
  for (const each of build) {
    if (isStepDone()) yield
    checkBuild(each)
  }
  return { numbers, prerelease }
}

/** Removes a leading `v` and leading zeros, and adds missing minor and patch numbers. */
function normalise(text: string): string {
  const parts = numberTexts(text.replace(/^v/, '')).map(part => {
    const trimmed = part.length > 1 ? part.replace(/^0+/, '') : part
    return part.length > 1 && !/^[0-9]/.test(trimmed) ? `0${trimmed}` : trimmed
  })
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) fail('short version cannot contain PreRelease/Build meta data')
  while (parts.length < 3) parts.push('0')
  return parts.join('.')
}

const fromText = (text: string, normalised: boolean): Value => longCall(() => parsedSemver(text, normalised))

function* parsedSemver(text: string, normalised: boolean): Steps<SemverValue | CelError> {
  try {
    return new SemverValue(yield* parseSemver(normalised ? normalise(text) : text))
  } catch (fault) {
    if (fault instanceof SemverFault) return new CelError(fault.message)
    throw fault
  }
}

const isSemver = (text: string, normalised: boolean): Value => fromText(text, normalised) instanceof SemverValue
const compareSemvers = (a: SemverValue, b: SemverValue): number => Math.sign(compareSemanticVersions(a.version, b.version))

/** Returns a version number as an int. Values beyond int64 wrap, as in Go's conversion. */
const part =
  (index: 0 | 1 | 2) =>
  ({ version }: SemverValue): Value =>
    toInt(BigInt.asIntN(64, version.numbers[index]))

/**
 * Functions of versions. Source: kubernetes/apiserver, pkg/cel/library/semverlib.go, with the parser of blang/semver.
 */
export const SEMVER_FUNCTIONS: Implementations = {
  semver_compare_to: compareSemvers,
  semver_is_greater_than: (a: SemverValue, b: SemverValue) => compareSemvers(a, b) > 0,
  semver_is_less_than: (a: SemverValue, b: SemverValue) => compareSemvers(a, b) < 0,
  is_semver_string: (text: string) => isSemver(text, false),
  is_semver_string_bool: isSemver,
  semver_major: part(0),
  semver_minor: part(1),
  semver_patch: part(2),
  string_to_semver: (text: string) => fromText(text, false),
  string_bool_to_semver: fromText,
}
