import type { OutgoingHttpHeaders } from 'node:http'
import type { ProbeClient } from './client.ts'
import { fill, type Variables } from './fill.ts'
import type { RequestStep, Row } from './probe-case.ts'

/** State that the steps of one case share. */
export interface Run {
  readonly client: ProbeClient
  readonly vars: Variables
  readonly rows: Row[]
  /** How many events the watches have that are to be like recorded ones, by their rows' ids: such are waited for. */
  readonly recorded: ReadonlyMap<unknown, number>
  /** Unmet expectations of the steps. */
  readonly unmet: string[]
}

export function headersOf(step: Pick<RequestStep, 'headers' | 'as' | 'groups'>, vars: Variables): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { ...(fill(step.headers ?? {}, vars) as Record<string, string>) }
  if (step.as !== undefined) headers['Impersonate-User'] = fill(step.as, vars) as string
  if (step.as !== undefined && step.groups) headers['Impersonate-Group'] = fill([...step.groups], vars) as string[]
  return headers
}

export const codeOf = (error: unknown): string =>
  error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error)
