import { expect } from 'chai'
import { admissionEnvironment } from '../../../src/cel/admission-environment.ts'
import { childrenOf, type Expr } from '../../../src/cel/ast.ts'
import { type Compiled, compile } from '../../../src/cel/compile.ts'
import { baseEnvironment, EVERY_RELEASE } from '../../../src/cel/environment.ts'
import { programFault } from '../../../src/cel/program-fault.ts'
import { typeText } from '../../../src/cel/type.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { celAnswers, mutatedExpressions } from '../../support/cel-answers.ts'

const admission = admissionEnvironment(baseEnvironment(32), { params: true, authorizer: true, patches: true })

function answer({ checked, issues }: Compiled): string {
  if (!checked) return `compilation failed: ${issues}`
  const fault = runAtOnce(programFault(checked, admission))
  return fault === undefined ? typeText(checked.result) : `program instantiation failed: ${fault}`
}

const messages = (text: string, minor = EVERY_RELEASE): string[] =>
  compile(text, baseEnvironment(minor)).issues.all.map(({ message }) => message)

describe('compile', () => {
  it('reports the types and errors of cel-go', () => {
    const wrong: unknown[] = []
    let compared = 0
    for (const { expression, tree, type, errors } of celAnswers()) {
      if (!tree) continue
      compared++
      const ours = answer(compile(expression, admission))
      if (ours !== (type ?? errors)) wrong.push({ expression, ours, theirs: type ?? errors })
    }
    expect(wrong).to.deep.equal([])
    expect(compared).to.be.above(2000)
  })

  it('accepts exactly the mutated expressions that cel-go accepts', () => {
    const wrong = mutatedExpressions().filter(
      ({ expression, accepted }) => (compile(expression, admission).checked !== undefined) !== accepted,
    )
    expect(wrong).to.deep.equal([])
  })

  it('offers the libraries of each release', () => {
    const introduced: Record<string, number> = {
      '1 < 1.5': 28,
      '2u >= 1': 28,
      "quantity('1')": 28,
      'sets.contains([1], [1])': 29,
      "ip('::1')": 30,
      'format.named("uuid")': 31,
      '[1].all(i, v, v > i)': 32,
      "semver('1.0.0')": 33,
    }
    for (const [expression, minor] of Object.entries(introduced)) {
      expect(messages(expression, minor), expression).to.deep.equal([])
      expect(messages(expression, minor - 1), expression).to.not.deep.equal([])
    }
  })

  it('compares only numbers of the same type before 1.28', () => {
    expect(messages('1 > 1.5', 27)[0]).to.contain("found no matching overload for '_>_' applied to '(int, double)'")
    expect(messages('1 <= 2 && 1.0 < 2.0 && 1u >= 2u', 27)).to.deep.equal([])
    expect(messages('dyn(1) < 1.5', 27)).to.deep.equal([])
  })

  it('records the references of names and calls', () => {
    const { checked } = compile('authorizer.requestResource.check("get").allowed() && size([1]) == 1', admission)
    const meaning = ({ id }: Expr): string[] => {
      const reference = checked!.references.get(id)
      return reference === undefined ? [] : [reference.kind === 'name' ? reference.name : reference.ids.join()]
    }
    const meant = (expr: Expr): string[] => [...childrenOf(expr).flatMap(meant), ...meaning(expr)]
    expect(meant(checked!.ast.root)).to.deep.equal([
      'authorizer.requestResource',
      'resourcecheck_check',
      'decision_allowed',
      'size_list',
      'equals',
      'logical_and',
    ])
  })

  it('assigns a type to every node', () => {
    const { checked } = compile('[1, 2].map(x, x > 1, string(x)).exists(s, s == "2")', admission)
    const untyped = (expr: Expr): Expr[] => [...(checked!.types.has(expr.id) ? [] : [expr]), ...childrenOf(expr).flatMap(untyped)]
    expect(untyped(checked!.ast.root)).to.deep.equal([])
  })

  it('checks many terms', () => {
    expect(messages(`1 == 1${' && 1 == 1'.repeat(9_000)}`)).to.deep.equal([])
    expect(messages(`[${'[], '.repeat(20_000)}[]].size() == 0`)).to.deep.equal([])
  })
})
