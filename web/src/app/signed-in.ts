import { isProblem } from '../api/problem.ts';
import { api } from './api.ts';
import { keepSessionHint } from './session-hint.ts';

/** Asks whose session the cookies are. If it is another one's by now, the whole page hears of it. Without an answer nothing has changed. */
export async function isSignedIn(userId: string): Promise<boolean> {
  try {
    const { user } = await api.getMe();
    if (user.id !== userId) keepSessionHint(user);
    return user.id === userId;
  } catch (error) {
    // A session that is over has been told by the call itself.
    return !(isProblem(error) && error.status === 401);
  }
}
