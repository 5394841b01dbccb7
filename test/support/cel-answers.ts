import { readFileSync } from 'node:fs'

/** What cel-go says of an expression in an environment of the API server. */
export interface CelAnswer {
  readonly expression: string
  /** As printTree prints it; absent if the expression does not parse. */
  readonly tree?: string
  /** Of the result; absent if there are errors. */
  readonly type?: string
  readonly errors?: string
}

/** All answers in test/fixtures/cel. */
export function celAnswers(): CelAnswer[] {
  return JSON.parse(readFileSync(new URL('../fixtures/cel/answers.json', import.meta.url), 'utf8')) as CelAnswer[]
}
