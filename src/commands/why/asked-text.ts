import type { Why } from '../../why/types.ts'

/** What a request asks for: `list secrets in shop`, `get /metrics`. */
export function whatOf({ verb, request }: Pick<Why, 'verb' | 'request'>): string {
  const { isResource, path } = request
  return isResource ? `${verb} ${resourceOf({ request })}` : `${verb} ${path}`
}

/** `secrets in shop`, `the deployment.apps web in shop`. */
function resourceOf({ request }: Pick<Why, 'request'>): string {
  const { group, resource, subresource, namespace, name } = request
  const full = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`
  return `${full}${name === '' ? '' : ` ${name}`}${namespace === '' ? '' : ` in ${namespace}`}`
}
