import { defineErrors } from '#platform/errors.ts';

export const authErrors = defineErrors({
  INVALID_CREDENTIALS: {
    status: 401,
    title: 'Email or password is wrong',
    help: 'No account has this email and password. The answer is the same whether or not the account exists.',
  },
  ACCOUNT_DISABLED: {
    status: 403,
    title: 'This account is disabled',
    help: 'An administrator has disabled the account. Only somebody who proved to own it is told so.',
  },
  EMAIL_TAKEN: {
    status: 409,
    title: 'There is already an account with this email',
    help: 'Sign in instead, or register with another email.',
  },
  TOO_MANY_ATTEMPTS: {
    status: 429,
    title: 'Too many attempts to sign in',
    help: 'Too many wrong passwords for this email. Wait for Retry-After; even the right password is refused until then. The wait grows with each failure, up to 15 minutes.',
    retryAfterSeconds: 5,
  },
  SIGN_IN_BUSY: {
    status: 503,
    title: 'Too many people are signing in right now',
    help: 'Checking passwords is expensive on purpose, and the queue for it is full. Nothing was checked or counted. Try again after Retry-After.',
    retryAfterSeconds: 2,
  },
  PASSWORD_WRONG: {
    status: 403,
    title: 'The password is wrong',
    help: 'What you asked for cannot be undone, so your password is asked for once more. Nothing was changed.',
  },
  SIGN_IN_AGAIN: {
    status: 403,
    title: 'Sign in again first',
    help: 'This account has no password. Sign in through your provider and repeat the request within ten minutes, from the same browser. Nothing was changed.',
  },
  ACCOUNT_IN_USE: {
    status: 409,
    title: 'The account is still needed',
    help: 'Nothing was changed. `reasons` says what stands against it: `live_holds` (seats are held: release them or let them lapse), `money_under_way` (a payment or a refund is not finished: wait for it), `tickets_to_come` (tickets for shows to come: cancel them or wait for the show), `events_to_come` (a seller with published events: cancel them or wait until they are over).',
  },
  REFRESH_INVALID: {
    status: 401,
    title: 'The session has ended',
    help: 'There was no refresh token, or it is unknown, expired or revoked. Sign in again.',
  },
  REFRESH_REUSED: {
    status: 401,
    title: 'The session was ended for safety',
    help: 'A refresh token that had been used before was presented again, so somebody else may hold a copy. The whole session is revoked. Sign in again.',
  },
  REFRESH_SUPERSEDED: {
    status: 409,
    title: 'A newer refresh token is already in use',
    help: 'This client refreshed more than once within seconds and this request carried an older token. Use the newest one; the session goes on.',
  },
  LAST_ADMIN: {
    status: 409,
    title: 'This is the last administrator',
    help: 'Somebody must be able to administer. Make another user an administrator first.',
  },
  OWN_ACCOUNT: {
    status: 409,
    title: 'Not on your own account',
    help: 'Administrators cannot change their own role or disable themselves. Ask another administrator.',
  },
  OIDC_PROVIDER_UNKNOWN: {
    status: 404,
    title: 'No such sign-in provider',
    help: 'GET /api/auth/providers lists the ones that are configured.',
  },
  OIDC_PROVIDER_UNAVAILABLE: {
    status: 503,
    title: 'The sign-in provider does not answer',
    help: 'The provider could not be reached in time or answered with nonsense. Try again, or sign in another way.',
    retryAfterSeconds: 5,
  },
  OIDC_STATE_MISMATCH: {
    status: 400,
    title: 'This sign-in was not begun here',
    help: 'The answer of the provider does not belong to a sign-in that this browser began within the last ten minutes. Begin again.',
  },
  OIDC_DENIED: {
    status: 403,
    title: 'The provider did not sign you in',
    help: 'You or the provider stopped the sign-in.',
  },
  OIDC_TOKEN_INVALID: {
    status: 401,
    title: "The provider's answer cannot be trusted",
    help: 'The identity token is forged, expired, or meant for somebody else. Begin again; if it stays, the configuration of the provider is wrong.',
  },
  OIDC_EMAIL_MISSING: {
    status: 422,
    title: 'The provider did not say your email',
    help: 'An account needs an email. Allow the provider to share it, or register with a password.',
  },
  OIDC_EMAIL_UNVERIFIED: {
    status: 409,
    title: 'There is already an account with this email',
    help: 'The provider has not verified that the email is yours, so it cannot open the existing account. Sign in with the password.',
  },
});
