import type { CheckedObject, CheckFinding, CheckSeverity } from '../types.ts'
import { type CheckReport, fileText, isAtLeast, messageText, nameText } from './report.ts'

/**
 * Prints JUnit's XML: a suite for each file, a case for each object, and a failure for each finding that makes the
 * check fail. Other findings are output.
 */
export function junitReport({ result: { objects, findings, cases }, failOn }: CheckReport): string {
  const files = new Map<string, { readonly objects: CheckedObject[]; readonly findings: CheckFinding[] }>()
  const of = (file: string) => {
    const known = files.get(file) ?? { objects: [], findings: [] }
    files.set(file, known)
    return known
  }
  for (const object of objects) of(object.position.file).objects.push(object)
  for (const finding of findings) of(finding.position?.file ?? '').findings.push(finding)
  const suites = Array.from(files, ([file, found]) => suiteXml(file, found.objects, found.findings, failOn))
  if (cases.length > 0)
    suites.push(
      suite(
        'cases',
        cases.map(({ name, file, passed, message = '', skipped }) => ({
          name: `${file}: ${name}`,
          isFailed: !passed,
          body:
            skipped === undefined ? (passed ? '' : `<failure message="${escaped(message)}"/>`) : `<skipped message="${escaped(skipped)}"/>`,
        })),
      ),
    )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="binnacle check">\n${suites.join('')}</testsuites>\n`
}

interface Case {
  readonly name: string
  readonly isFailed: boolean
  readonly body: string
}

function suiteXml(file: string, objects: readonly CheckedObject[], findings: readonly CheckFinding[], failOn: CheckSeverity): string {
  const keyOf = ({ apiVersion, kind, namespace = '', name }: CheckedObject | NonNullable<CheckFinding['object']>): string =>
    `${apiVersion} ${kind} ${namespace}/${name}`
  const left = new Map<string, CheckFinding[]>()
  const ofFile: CheckFinding[] = []
  for (const finding of findings) {
    const key = finding.object && keyOf(finding.object)
    const known = key === undefined ? ofFile : left.get(key)
    if (known) known.push(finding)
    else if (key !== undefined) left.set(key, [finding])
  }
  const cases = objects.map(object => {
    const own = left.get(keyOf(object)) ?? []
    left.delete(keyOf(object))
    return caseOf(`${nameText(object)} (line ${object.position.line})`, own, failOn)
  })
  const rest = [...ofFile, ...[...left.values()].flat()]
  return suite(fileText(file), rest.length > 0 ? [...cases, caseOf(fileText(file), rest, failOn)] : cases)
}

function caseOf(name: string, findings: readonly CheckFinding[], failOn: CheckSeverity): Case {
  const failures = findings.filter(({ severity }) => isAtLeast(severity, failOn))
  const others = findings.filter(({ severity }) => !isAtLeast(severity, failOn))
  const text = (finding: CheckFinding): string =>
    `${finding.position ? `${fileText(finding.position.file)}:${finding.position.line}:${finding.position.column}: ` : ''}${messageText(finding)}`
  return {
    name,
    isFailed: failures.length > 0,
    body: [
      ...failures.map(
        finding => `<failure type="${finding.rule}" message="${escaped(finding.message)}">${escaped(text(finding))}</failure>`,
      ),
      ...(others.length === 0
        ? []
        : [`<system-out>${escaped(others.map(finding => `${finding.severity}: ${text(finding)}`).join('\n'))}</system-out>`]),
    ].join(''),
  }
}

function suite(name: string, cases: readonly Case[]): string {
  const failures = cases.filter(({ isFailed }) => isFailed).length
  const lines = cases.map(each => `    <testcase classname="${escaped(name)}" name="${escaped(each.name)}">${each.body}</testcase>\n`)
  return `  <testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failures}">\n${lines.join('')}  </testsuite>\n`
}

/** Characters that XML 1.0 does not allow, even as references. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
}

const escaped = (text: string): string => text.replace(NOT_IN_XML, '').replace(/[&<>"\n\r\t]/g, char => ENTITIES[char] ?? char)
