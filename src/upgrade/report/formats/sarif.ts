import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Finding, type FindingRule, type Level, type Report, RULES } from '../finding.ts'

const LEVELS: Readonly<Record<Level, string>> = { blocking: 'error', warning: 'warning', note: 'note' }

/**
 * Prints SARIF 2.1.0, which editors and code hosts show next to the code.
 * https://docs.oasis-open.org/sarif/sarif/v2.1.0/
 */
export function sarifReport({ from, to, findings }: Report): string {
  const ids = [...new Set(findings.map(({ rule }) => rule))]
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'binnacle upgrade-report', rules: ids.map(ruleOf) } },
        columnKind: 'utf16CodeUnits',
        properties: { from, to },
        results: findings.map(finding => sarifResult(finding, ids.indexOf(finding.rule))),
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

const ruleOf = (id: FindingRule): object => ({ id, shortDescription: { text: `${RULES[id]}.` } })

function sarifResult(finding: Finding, ruleIndex: number): object {
  const { rule, level, subject, message, advice, since, usages, diff } = finding
  const text = `${subject}: ${message}${advice === undefined ? '' : ` (${advice})`}`
  return {
    ruleId: rule,
    ruleIndex,
    level: LEVELS[level],
    message: { text },
    locations: [locationOf(finding)],
    properties: { since, usages, diff },
  }
}

/** Returns the location in a file if there is one, otherwise by name. */
function locationOf({ subject, place: { file, line, source } }: Finding): object {
  const logicalLocations = [
    { name: subject, fullyQualifiedName: source === undefined ? subject : `${source}: ${subject}`, kind: 'resource' },
  ]
  if (file === undefined) return { logicalLocations }
  return {
    physicalLocation: { artifactLocation: { uri: uriOf(file) }, ...(line !== undefined && { region: { startLine: line } }) },
    logicalLocations,
  }
}

/** Returns a URI. A relative path stays relative to the folder in which the command runs. */
const uriOf = (path: string): string =>
  isAbsolute(path) ? pathToFileURL(path).href : path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/')
