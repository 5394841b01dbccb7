import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RULES } from '../findings/finding.ts'
import type { CaseResult, CheckFinding, CheckPosition } from '../types.ts'
import { type CheckReport, messageText, nameText } from './report.ts'

/**
 * Prints SARIF 2.1.0, which editors and code hosts show next to the code.
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/
 *
 * Every result has a region of a file: GitHub refuses an upload if one result has none ("expected at least one
 * location"). Findings that are about no file, such as a kustomization that cannot be built, are notifications.
 * https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
 */
export function sarifReport({ result: { release, findings, cases } }: CheckReport): string {
  const failed = cases.filter(({ passed }) => !passed)
  const ids = [...new Set([...findings.map(({ rule }) => rule), ...(failed.length > 0 ? [CASE_FAILED] : [])])]
  const located = findings.filter(isLocated)
  const notifications = findings.filter(finding => !isLocated(finding)).map(finding => notification(finding, ids.indexOf(finding.rule)))
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'binnacle check', rules: ids.map(id => ({ id, shortDescription: { text: `${describe(id)}.` } })) } },
        columnKind: 'utf16CodeUnits',
        properties: { release },
        ...(notifications.length > 0 && {
          invocations: [
            { executionSuccessful: notifications.every(({ level }) => level !== 'error'), toolExecutionNotifications: notifications },
          ],
        }),
        results: [
          ...located.map(finding => sarifResult(finding, ids.indexOf(finding.rule))),
          ...failed.map(each => caseResult(each, ids.indexOf(CASE_FAILED))),
        ],
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

/** Rule of cases that failed. They are no findings. */
const CASE_FAILED = 'case-failed'

const DESCRIPTIONS = new Map<string, string>(Object.entries({ ...RULES, [CASE_FAILED]: 'The result of a case is not the expected one' }))

const describe = (rule: string): string => DESCRIPTIONS.get(rule) ?? rule

/** Subset of a SARIF notification. */
interface Notification {
  readonly level: string
  readonly associatedRule: { readonly id: string; readonly index: number }
  readonly message: { readonly text: string }
  readonly locations?: readonly object[]
}

/** A finding with a place in a file. */
type LocatedFinding = CheckFinding & Required<Pick<CheckFinding, 'position'>>

const isLocated = (finding: CheckFinding): finding is LocatedFinding => finding.position !== undefined

function sarifResult(finding: LocatedFinding, ruleIndex: number): object {
  const { rule, severity, position, field, by, diff } = finding
  return {
    ruleId: rule,
    ruleIndex,
    level: severity,
    message: { text: messageText(finding) },
    locations: [{ physicalLocation: physicalLocation(position), ...logicalLocations(finding) }],
    properties: { field, by, diff },
  }
}

function notification(finding: CheckFinding, index: number): Notification {
  const { rule, severity } = finding
  const logical = logicalLocations(finding)
  return {
    level: severity,
    associatedRule: { id: rule, index },
    message: { text: messageText(finding) },
    ...(logical && { locations: [logical] }),
  }
}

const physicalLocation = ({ file, line, column, endLine, endColumn }: CheckPosition): object => ({
  artifactLocation: { uri: uriOf(file) },
  region: { startLine: line, startColumn: column, endLine, endColumn },
})

/** Names the object and the field. Undefined for findings about a file. */
function logicalLocations({ object, field }: CheckFinding): object | undefined {
  if (object === undefined) return undefined
  const name = nameText(object)
  return { logicalLocations: [{ name, ...(field !== undefined && { fullyQualifiedName: `${name}: ${field}` }), kind: 'resource' }] }
}

/** A case has no position in its file. The result is at the beginning. */
const caseResult = ({ name, file, message = '' }: CaseResult, ruleIndex: number): object => ({
  ruleId: CASE_FAILED,
  ruleIndex,
  level: 'error',
  message: { text: `${name}: ${message}` },
  locations: [{ physicalLocation: physicalLocation({ file, line: 1, column: 1, endLine: 1, endColumn: 1 }) }],
})

/** Returns a URI. A relative path stays relative to the folder in which the command runs. */
const uriOf = (path: string): string =>
  path === '-'
    ? 'stdin'
    : isAbsolute(path)
      ? pathToFileURL(path).href
      : path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
