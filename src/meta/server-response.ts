import { failure, type StatusError } from './status.ts'

/** Reason and message of a status code without a Status. `$` is replaced with the body of the response. */
const ANSWERS: Readonly<Record<number, readonly [reason: string, text: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', '$'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable', '$'],
  409: ['Conflict', 'the server reported a conflict'],
  415: ['UnsupportedMediaType', '$'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted, but may still be processing the request'],
}

/**
 * Creates the Status for a response of another server that is no Status itself, with apimachinery's message
 * (NewGenericServerResponse with an empty verb). `about` is the requested object, if any.
 */
export function serverResponse(status: number, about: { resource: string; name: string } | undefined, said: string): StatusError {
  const [reason, text] = ANSWERS[status] ?? [status >= 500 ? 'InternalError' : '', responseText(status, said)]
  const message = text.replace('$', () => said)
  return about
    ? failure(status, reason, `${message} ( ${about.resource} ${about.name})`, { name: about.name, kind: about.resource })
    : failure(status, reason, message)
}

const responseText = (status: number, said: string): string =>
  status >= 500
    ? `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
    : `the server responded with the status code ${status} but did not return more information`
