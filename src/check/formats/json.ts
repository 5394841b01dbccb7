import { type CheckReport, isFailed } from './report.ts'

/** Prints the result as JSON, with whether the check failed. */
export const jsonReport = ({ result, failOn }: CheckReport): string =>
  `${JSON.stringify({ failed: isFailed(result, failOn), ...result }, null, 2)}\n`
