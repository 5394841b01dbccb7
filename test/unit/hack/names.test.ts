import { expect } from 'chai'
import { nameProblems } from '../../../hack/support/names.ts'

const problems = (...texts: string[]): string[] =>
  nameProblems(texts.map((text, i) => ({ path: `src/${i}.ts`, text }))).map(problem => problem.replace(/(?::\d+:)? .*/s, ''))

describe('hack/verify-names', () => {
  const declarations = [
    'function textOf() {}',
    'export const textOf = (text: string) => text',
    'const textOf = <T>(value: T) => value',
    'interface textOf {}',
    'class textOf {}',
  ]
  it('finds a name that four files declare as a function or a type', () => {
    expect(problems(...declarations.slice(0, 4))).to.deep.equal(['textOf'])
    expect(problems(...declarations.slice(1))).to.deep.equal(['textOf'])
  })
  it('passes a name that three files declare', () => expect(problems(...declarations.slice(0, 3))).to.deep.equal([]))
  it('passes a name that four files declare within functions', () =>
    expect(
      problems(...Array.from({ length: 4 }, (_, i) => `export function f${i}() { const textOf = () => 1; return textOf }`)),
    ).to.deep.equal([]))

  const found: Readonly<Record<string, string>> = {
    'a vague type': 'interface Place {}',
    'a private field': 'class A { private b = 1 }',
    'a private method': 'class A { private b() {} }',
    'a private static accessor': 'class A { private static get b() { return 1 } }',
    'a private member of a class expression': 'const a = class { private b = 1 }',
    'a protected member without a subclass': 'class A { protected b = 1 }',
    'a number in lower case': 'const most = 5',
    'a text in lower case': 'export const name = `a`',
    'a regular expression in lower case': 'const word = /a/',
    'a list in lower case': "const names: readonly string[] = ['a'] as const",
    'a set in lower case': "const names = new Set(['a'])",
    'a product in lower case': 'const size = 4 * 1024',
    'a path of a field in lower case': "const path = fieldPath('spec')",
  }
  for (const [name, text] of Object.entries(found)) it(`finds ${name}: ${text}`, () => expect(problems(text)).to.deep.equal(['src/0.ts']))

  const passed = [
    'class A { #b = 1 }',
    'class A { private constructor() {} }',
    'class A { protected b = 1 } class B extends A {}',
    'const MOST_BYTES = 5',
    "const strategy = { path: 'a' }",
    'const known = new Map<string, string>()',
    'const made = make(5)',
    'const both = first ?? second',
    'let count = 0',
    'const names: string[] = []',
  ]
  for (const text of passed) it(`passes ${text}`, () => expect(problems(text)).to.deep.equal([]))
})
