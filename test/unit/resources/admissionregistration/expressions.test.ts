import { expect } from 'chai'
import { EVERY_RELEASE } from '../../../../src/cel/environment.ts'
import { BOOL, NULL, STRING } from '../../../../src/cel/type.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { type ExpressionUse, storedTexts, understand } from '../../../../src/resources/admissionregistration/expressions.ts'
import { oldestReader } from '../../../../src/resources/shared/oldest-reader.ts'
import { featuresOf } from '../../../support/hook-context.ts'

const fault = (expression: string, use: Partial<ExpressionUse> = {}): string | undefined =>
  runAtOnce(understand(expression, { minor: 32, ...use })).fault

describe('expressions of admission', () => {
  it("reports compile errors with upstream's message", () => {
    expect(fault('object.x in [1, 2,')).to.equal(
      "compilation failed: ERROR: <input>:1:19: Syntax error: missing ']' at '<EOF>'\n | object.x in [1, 2,\n | ..................^",
    )
    expect(fault('params.x')).to.equal(
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x\n | ^",
    )
    expect(fault('params.x', { params: true })).to.equal(undefined)
  })

  it('reports a result of the wrong type', () => {
    expect(fault('1', { results: [BOOL] })).to.equal('must evaluate to bool but got int')
    expect(fault('request.userInfo.groups', { results: [STRING] })).to.equal('must evaluate to string but got list(string)')
    expect(fault('namespaceObject.metadata.creationTimestamp', { results: [STRING, NULL] })).to.equal(
      'must evaluate to one of [string null_type] but got google.protobuf.Timestamp',
    )
    expect(fault('null', { results: [STRING, NULL] })).to.equal(undefined)
    expect(fault('object.x', { results: [BOOL] })).to.equal('must evaluate to bool but got dyn')
  })

  it('reports invalid literal patterns', () => {
    expect(fault("'a'.find('a(')", { results: [STRING] })).to.equal(
      'program instantiation failed: error parsing regexp: missing closing ): `a(`',
    )
    expect(fault("'a'.matches('a(')", { results: [BOOL] })).to.contain('invalid matches argument')
  })

  it('accepts functions of the newest release only in stored expressions', () => {
    expect(fault("semver('1.0.0').major() > 0")).to.contain("undeclared reference to 'semver'")
    expect(fault("semver('1.0.0').major() > 0", { minor: EVERY_RELEASE })).to.equal(undefined)
  })

  it('collects stored expressions', () => {
    expect([...storedTexts([{ expression: 'a' }, {}, { expression: 'b' }], 'expression')]).to.deep.equal(['a', 'b'])
    expect([...storedTexts(undefined, 'expression')]).to.deep.equal([])
  })

  it('must compile in the oldest compatible release, unless it is stored already', () => {
    const used = 'semver("1.2.3").major() == 1'
    const minors = (compatibility: Release, isStored = false) => oldestReader({ ...featuresOf(), compatibility }, isStored)
    expect(fault(used, { minor: minors('1.32') })).to.include("undeclared reference to 'semver'")
    expect(fault(used, { minor: minors('1.33') })).to.equal(undefined)
    expect(fault(used, { minor: minors('1.24', true) })).to.equal(undefined)
  })
})
