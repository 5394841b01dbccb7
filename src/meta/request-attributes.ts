import type { RequestAttributes } from './context.ts'

const NOTHING = { path: '', group: '', version: '', namespace: '', resource: '', subresource: '', name: '' }

/** What an authorizer is asked about a resource where no request's path says so: what is not given is empty. */
export const resourceAttributes = (given: Partial<Omit<RequestAttributes, 'isResource'>> & { readonly verb: string }): RequestAttributes => ({
  ...NOTHING,
  ...given,
  isResource: true,
})

/** The same of a path that names no resource. */
export const nonResourceAttributes = (verb: string, path: string): RequestAttributes => ({ ...NOTHING, verb, path, isResource: false })
