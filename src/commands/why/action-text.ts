import type { Why } from '../../why/types.ts'

/** Returns the action of a request, such as `list secrets in shop` or `get /metrics`. */
export function actionText({ verb, request }: Pick<Why, 'verb' | 'request'>): string {
  const { isResource, path } = request
  return isResource ? `${verb} ${resourceText({ request })}` : `${verb} ${path}`
}

/** Returns the resource of a request, such as `secrets in shop` or `deployments.apps web in shop`. */
function resourceText({ request }: Pick<Why, 'request'>): string {
  const { group, resource, subresource, namespace, name } = request
  const full = `${resource}${group === '' ? '' : `.${group}`}${subresource === '' ? '' : `/${subresource}`}`
  return `${full}${name === '' ? '' : ` ${name}`}${namespace === '' ? '' : ` in ${namespace}`}`
}
