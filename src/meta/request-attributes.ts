import type { RequestAttributes } from './context.ts'

const NOTHING = { path: '', group: '', version: '', namespace: '', resource: '', subresource: '', name: '' }

/** Creates attributes of a resource request for an authorizer. Omitted members are empty. */
export const resourceAttributes = ({
  verb,
  path = '',
  group = '',
  version = '',
  namespace = '',
  resource = '',
  subresource = '',
  name = '',
  ...selectors
}: Partial<Omit<RequestAttributes, 'isResource'>> & { readonly verb: string }): RequestAttributes => ({
  path,
  group,
  version,
  namespace,
  resource,
  subresource,
  name,
  ...selectors,
  verb,
  isResource: true,
})

/** Creates attributes of a non-resource request. */
export const nonResourceAttributes = (verb: string, path: string): RequestAttributes => ({ ...NOTHING, verb, path, isResource: false })
