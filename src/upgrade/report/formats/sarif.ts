import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Finding, type FindingRule, type Level, type Report, RULES } from '../finding.ts'

const LEVELS: Readonly<Record<Level, string>> = { blocking: 'error', warning: 'warning', note: 'note' }

/**
 * Prints SARIF 2.1.0, which editors and code hosts show next to the code.
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/
 *
 * Every result has a region of a file: GitHub refuses an upload if one result has none ("expected at least one
 * location"). Findings that are about no file, such as those of a running server, are notifications.
 * https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
 */
export function sarifReport({ from, to, findings }: Report): string {
  const ids = [...new Set(findings.map(({ rule }) => rule))]
  const notifications = findings.filter(({ place }) => place.file === undefined)
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'binnacle upgrade-report', rules: ids.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        properties: { from, to },
        ...(notifications.length > 0 && {
          invocations: [
            {
              // The report is complete, whatever it finds.
              executionSuccessful: true,
              toolExecutionNotifications: notifications.map(finding => notification(finding, ids.indexOf(finding.rule))),
            },
          ],
        }),
        results: findings.flatMap(finding => {
          const { file, line = 1 } = finding.place
          return file === undefined ? [] : [sarifResult(finding, ids.indexOf(finding.rule), { file, line })]
        }),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

const ruleOf = (id: FindingRule): object => ({ id, shortDescription: { text: `${RULES[id]}.` } })

function sarifResult(finding: Finding, ruleIndex: number, { file, line }: { readonly file: string; readonly line: number }): object {
  const { rule, level, since, usages, diff } = finding
  return {
    ruleId: rule,
    ruleIndex,
    level: LEVELS[level],
    message: messageOf(finding),
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } },
        logicalLocations: [logicalLocation(finding)],
      },
    ],
    properties: { since, usages, diff },
  }
}

function notification(finding: Finding, index: number): object {
  const { rule, level, since, usages, diff } = finding
  return {
    level: LEVELS[level],
    associatedRule: { id: rule, index },
    message: messageOf(finding),
    locations: [{ logicalLocations: [logicalLocation(finding)] }],
    properties: { since, usages, diff },
  }
}

const messageOf = ({ subject, message, advice }: Finding): object => ({
  text: `${subject}: ${message}${advice === undefined ? '' : ` (${advice})`}`,
})

/** Names the object and its source. */
const logicalLocation = ({ subject, place: { source } }: Finding): object => ({
  name: subject,
  fullyQualifiedName: source === undefined ? subject : `${source}: ${subject}`,
  kind: 'resource',
})

/** Returns a URI. A relative path stays relative to the folder in which the command runs. */
const uriOf = (path: string): string =>
  isAbsolute(path) ? pathToFileURL(path).href : path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
