import type { Steps } from '../../src/lib/steps.ts'

/** Runs steps at once. Returns their result, and how often they yielded. */
export function countedSteps<T>(steps: Steps<T>): { readonly result: T; readonly yields: number } {
  for (let yields = 0; ; yields++) {
    const { done, value } = steps.next()
    if (done) return { result: value, yields }
  }
}

/** Returns steps that are none, with a result. */
export function* noSteps<T>(result: T): Steps<T> {
  yield* [] as undefined[]
  return result
}
