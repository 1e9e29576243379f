// Requests to the server, and its refusals as errors.
import { SourceError } from "./source";

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response;
  let message = `${response.status} ${response.statusText}`;
  try {
    const body = (await response.json()) as { error?: { message?: string } };
    if (body.error?.message) message = body.error.message;
  } catch {
    // The answer was no JSON: the status line has to do.
  }
  throw new SourceError(message, response.status);
}

export async function request(path: string, options?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new SourceError("the server does not answer");
  }
  return checked(response);
}

export async function json<T>(path: string, options?: RequestInit): Promise<T> {
  return (await (await request(path, options)).json()) as T;
}
