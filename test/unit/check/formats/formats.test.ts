import { expect } from 'chai'
import { boundedReport } from '../../../../src/check/check-command.ts'
import { githubReport } from '../../../../src/check/formats/github.ts'
import { jsonReport } from '../../../../src/check/formats/json.ts'
import { junitReport } from '../../../../src/check/formats/junit.ts'
import { type CheckReport, isFailed } from '../../../../src/check/formats/report.ts'
import { sarifReport } from '../../../../src/check/formats/sarif.ts'
import { textReport } from '../../../../src/check/formats/text.ts'
import { SourceText } from '../../../../src/check/input/position.ts'
import type { AnyObject } from '../../../support/any-object.ts'

const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'a' }
const position = { file: 'dir/a,b.yaml', line: 2, column: 3, endLine: 2, endColumn: 7 }

/** Members of a result that are used, of those in the schema. */
const RESULT_MEMBERS: ReadonlySet<string> = new Set(['ruleId', 'ruleIndex', 'level', 'message', 'locations', 'properties'])

const report = (failOn: CheckReport['failOn'] = 'error'): CheckReport => ({
  failOn,
  texts: new Map([['dir/a,b.yaml', new SourceText('dir/a,b.yaml', 'kind: A\n  data: <1>\n')]]),
  result: {
    release: '1.36',
    objects: [{ ...object, verdict: 'refused', code: 400, message: 'm', position: { ...position, line: 1 } }],
    findings: [
      { rule: 'unreadable', severity: 'warning', message: 'first\nsecond: 5%' },
      { rule: 'unknown-field', severity: 'error', message: 'unknown field "data"', advice: 'remove it', object, field: 'data', position },
    ],
    cases: [{ name: 'c', file: 'cases.yaml', passed: false, message: 'was allowed' }],
    remarks: ['a remark'],
  },
})

describe('formats of check', () => {
  it('prints text with the offending line', () => {
    expect(textReport(report())).to.equal(`  warning unreadable
      first
      second: 5%

dir/a,b.yaml
  2:3 error unknown-field: ConfigMap n/a
      unknown field "data"
      2 |   data: <1>
        |   ^^^^
      → remove it

FAIL cases.yaml: c: was allowed

note: a remark

1 object checked with Kubernetes 1.36: 1 error, 1 warning, 1 case, 1 failed
`)
  })

  it('escapes control characters in text', () => {
    const { result, ...rest } = report()
    const findings = [{ rule: 'refused', severity: 'error' as const, message: '\u001b[31mred' }]
    expect(textReport({ ...rest, result: { ...result, findings } })).to.not.include('\u001b')
  })

  it('prints annotations with escaped properties', () => {
    expect(githubReport(report()).split('\n').slice(0, 3)).to.deep.equal([
      '::warning title=unreadable::first%0Asecond: 5%25',
      '::error file=dir/a%2Cb.yaml,line=2,endLine=2,col=3,endColumn=7,title=unknown-field::ConfigMap n/a: unknown field "data" (remove it)',
      '::error file=cases.yaml,title=c::was allowed',
    ])
  })

  it('prints SARIF with regions and rules', () => {
    const { runs } = JSON.parse(sarifReport(report()))
    expect(runs[0].tool.driver.rules.map(({ id }: { id: string }) => id)).to.deep.equal(['unreadable', 'unknown-field', 'case-failed'])
    const [{ physicalLocation }] = runs[0].results[0].locations
    expect(physicalLocation).to.deep.equal({
      artifactLocation: { uri: 'dir/a%2Cb.yaml' },
      region: { startLine: 2, startColumn: 3, endLine: 2, endColumn: 7 },
    })
  })

  it('prints SARIF results with a region of a file, which GitHub requires, and other findings as notifications', () => {
    const stdin = {
      ...report().result.findings[1],
      rule: 'wrong-type',
      severity: 'error',
      message: 'm',
      position: { ...position, file: '-' },
    } as const
    const unplaced = { rule: 'webhook-not-called', severity: 'note', message: 'not called', object } as const
    const { result } = report()
    const [run] = JSON.parse(sarifReport({ ...report(), result: { ...result, findings: [...result.findings, stdin, unplaced] } })).runs
    expect(run.results.map(({ ruleId }: AnyObject) => ruleId)).to.deep.equal(['unknown-field', 'wrong-type', 'case-failed'])
    for (const { locations } of run.results) {
      expect(locations[0].physicalLocation.artifactLocation.uri).to.be.a('string').and.not.be.empty
      expect(locations[0].physicalLocation.region).to.have.all.keys('startLine', 'startColumn', 'endLine', 'endColumn')
    }
    expect(run.invocations).to.deep.equal([
      {
        executionSuccessful: true,
        toolExecutionNotifications: [
          { level: 'warning', associatedRule: { id: 'unreadable', index: 0 }, message: { text: 'first\nsecond: 5%' } },
          {
            level: 'note',
            associatedRule: { id: 'webhook-not-called', index: 3 },
            message: { text: 'ConfigMap n/a: not called' },
            locations: [{ logicalLocations: [{ name: 'ConfigMap n/a', kind: 'resource' }] }],
          },
        ],
      },
    ])
    const failed = { ...result, findings: [{ rule: 'unreadable', severity: 'error', message: 'm' } as const] }
    expect(JSON.parse(sarifReport({ ...report(), result: failed })).runs[0].invocations[0].executionSuccessful).to.equal(false)
  })

  it('prints SARIF with the members that the schema of 2.1.0 requires, and no others', () => {
    const log = JSON.parse(sarifReport(report()))
    expect(log).to.have.all.keys('$schema', 'version', 'runs')
    expect(log.version).to.equal('2.1.0')
    const [run] = log.runs
    expect(run).to.have.all.keys('tool', 'columnKind', 'properties', 'invocations', 'results')
    expect(run.columnKind).to.equal('utf16CodeUnits')
    expect(run.tool.driver.name).to.be.a('string')
    expect(run.results).to.have.lengthOf(2)
    for (const { text } of run.tool.driver.rules.map(({ shortDescription }: AnyObject) => shortDescription)) expect(text).to.not.be.empty
    for (const result of run.results) {
      expect(Object.keys(result)).to.satisfy((names: string[]) => names.every(name => RESULT_MEMBERS.has(name)))
      expect(run.tool.driver.rules[result.ruleIndex].id).to.equal(result.ruleId)
      expect(['error', 'warning', 'note']).to.include(result.level)
      expect(result.message.text).to.be.a('string').and.not.be.empty
      for (const { physicalLocation, logicalLocations = [] } of result.locations ?? []) {
        expect(physicalLocation.artifactLocation.uri).to.match(/^[\w./%~-]+$/)
        for (const at of Object.values(physicalLocation.region ?? {})) expect(at).to.be.a('number').and.be.at.least(1)
        for (const { name } of logicalLocations) expect(name).to.equal('ConfigMap n/a')
      }
    }
    expect(run.results[1]).to.deep.include({ ruleId: 'case-failed', level: 'error', message: { text: 'c: was allowed' } })
  })

  it('prints JUnit with a case for each object', () => {
    const xml = junitReport(report())
    expect(xml).to.include('<testsuite name="dir/a,b.yaml" tests="1" failures="1">')
    expect(xml).to.include(
      '<testcase classname="dir/a,b.yaml" name="ConfigMap n/a (line 1)"><failure type="unknown-field" message="unknown field &quot;data&quot;">',
    )
    expect(xml).to.include('<system-out>warning: first&#10;second: 5%</system-out>')
    expect(junitReport(report('warning'))).to.include('<failure type="unreadable"')
  })

  it('prints 100,000 findings of one object in each format', () => {
    const { result, ...rest } = report()
    const findings = Array.from({ length: 100_000 }, (_, i) => ({
      rule: 'unknown-field',
      severity: 'error' as const,
      message: `unknown field "x${i}"`,
      object,
      position,
    }))
    const many = { ...rest, result: { ...result, findings } }
    for (const print of [textReport, jsonReport, sarifReport, junitReport, githubReport])
      expect(print(many).includes('x0') && print(many).includes('x99999'), print.name).to.equal(true)
  })

  it('rejects a report that is longer than a string can be', () => {
    const tooLong = (): string => 'x'.repeat(2 ** 29).concat('x')
    expect(() => boundedReport(tooLong, report())).to.throw('the report of 2 findings is too long for this format')
    expect(boundedReport(() => 'x', report())).to.equal('x')
    const tooDeep = (): string => `${tooDeep()}x`
    expect(() => boundedReport(tooDeep, report())).to.throw(RangeError, 'call stack')
  })

  it('prints JSON with whether the check failed', () => {
    expect(JSON.parse(jsonReport(report()))).to.deep.equal({ failed: true, ...report().result })
  })

  it('fails for findings at or above the severity', () => {
    const { result } = report()
    const only = { ...result, cases: [], findings: result.findings.slice(0, 1) }
    expect([isFailed(only, 'error'), isFailed(only, 'warning'), isFailed(only, 'note')]).to.deep.equal([false, true, true])
  })
})
