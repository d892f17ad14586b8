// Generated from docs/reference/openapi.json by `npm run generate`. Do not edit.
import { type CallOptions, type ClientOptions, createCaller } from './runtime.ts';

export interface ChangeUserRoleInput {
  params: {
    userId: string;
  };
  body: {
    role: "buyer" | "seller" | "operator" | "admin";
  };
}

export type ChangeUserRoleResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    createdAt: string;
    disabledAt: string | null;
  };
};

export interface DisableUserInput {
  params: {
    userId: string;
  };
}

export type DisableUserResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    createdAt: string;
    disabledAt: string | null;
  };
};

export interface EnableUserInput {
  params: {
    userId: string;
  };
}

export type EnableUserResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    createdAt: string;
    disabledAt: string | null;
  };
};

export interface FinishOidcSignInInput {
  params: {
    provider: string;
  };
  query?: {
    state?: string | undefined;
    code?: string | undefined;
    error?: string | undefined;
    iss?: string | undefined;
  };
}

export type FinishOidcSignInResult = undefined;

export interface GetArtistInput {
  params: {
    artistId: string;
  };
}

export type GetArtistResult = {
  id: string;
  name: string;
  nameEn: string | null;
  description: string;
  imageUrl: string | null;
  version: number;
};

export interface GetEventInput {
  params: {
    eventId: string;
  };
}

export type GetEventResult = {
  id: string;
  title: string;
  titleEn: string | null;
  status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
  artist: {
    id: string;
    name: string;
    nameEn: string | null;
  };
  venue: {
    id: string;
    name: string;
    nameEn: string | null;
  };
  /** ISO 8601 */
  startsAt: string;
  /** ISO 8601 */
  doorsAt: string | null;
  /** ISO 8601 */
  saleOpensAt: string;
  /** ISO 8601 */
  saleClosesAt: string;
  imageUrl: string | null;
  hot: boolean;
  priceMinKrw: number;
  priceMaxKrw: number;
  description: string;
  descriptionEn: string | null;
  layoutId: string;
  seatCount: number;
  standingCapacity: number;
  prices: {
    grade: string;
    priceKrw: number;
    /** of this grade */
    seats: number;
  }[];
  ticketTypes: {
    id: string;
    areaId: string;
    name: string;
    nameEn: string | null;
    capacity: number;
    priceKrw: number;
  }[];
  phases: {
    tier: "diamond" | "gold" | "silver" | "general";
    /** ISO 8601 */
    opensAt: string;
  }[];
  purchaseLimit: number;
  queueEnabled: boolean;
  cancelReason: string | null;
  views: number;
  version: number;
};

export interface GetLayoutInput {
  params: {
    layoutId: string;
  };
}

export type GetLayoutResult = {
  id: string;
  venueId: string;
  name: string;
  version: number;
  width: number;
  height: number;
  seatCount: number;
  standingCapacity: number;
  grades: string[];
  sections: {
    id: string;
    name: string;
    nameEn: string | null;
    rows: {
      label: string;
      labels: string[];
      x: number[];
      y: number[];
      grades: number[];
    }[];
  }[];
  standingAreas: {
    id: string;
    name: string;
    nameEn: string | null;
    capacity: number;
  }[];
};

export type GetMeResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
};

export type GetTimeResult = {
  /** ISO 8601 */
  now: string;
};

export interface GetUserInput {
  params: {
    userId: string;
  };
}

export type GetUserResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    createdAt: string;
    disabledAt: string | null;
  };
};

export interface GetVenueInput {
  params: {
    venueId: string;
  };
}

export type GetVenueResult = {
  id: string;
  name: string;
  nameEn: string | null;
  address: string;
  addressEn: string | null;
  version: number;
  layouts: {
    id: string;
    venueId: string;
    name: string;
    seatCount: number;
    standingCapacity: number;
    seatsByGrade: {
      grade: string;
      seats: number;
    }[];
    standingAreas: {
      id: string;
      name: string;
      nameEn: string | null;
      capacity: number;
    }[];
    version: number;
  }[];
};

export interface ListArtistsInput {
  query?: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListArtistsResult = {
  items: {
    id: string;
    name: string;
    nameEn: string | null;
    description: string;
    imageUrl: string | null;
    version: number;
  }[];
  nextCursor: string | null;
};

export interface ListEventsInput {
  query?: {
    q?: string | undefined;
    artistId?: string | undefined;
    status?: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled" | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListEventsResult = {
  items: {
    id: string;
    title: string;
    titleEn: string | null;
    status: "draft" | "announced" | "on_sale" | "sold_out" | "ended" | "cancelled";
    artist: {
      id: string;
      name: string;
      nameEn: string | null;
    };
    venue: {
      id: string;
      name: string;
      nameEn: string | null;
    };
    /** ISO 8601 */
    startsAt: string;
    /** ISO 8601 */
    doorsAt: string | null;
    /** ISO 8601 */
    saleOpensAt: string;
    /** ISO 8601 */
    saleClosesAt: string;
    imageUrl: string | null;
    hot: boolean;
    priceMinKrw: number;
    priceMaxKrw: number;
  }[];
  nextCursor: string | null;
};

export type ListSignInProvidersResult = {
  items: {
    id: string;
    label: string;
  }[];
};

export interface ListUsersInput {
  query: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit: number;
  };
}

export type ListUsersResult = {
  items: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
    createdAt: string;
    disabledAt: string | null;
  }[];
  nextCursor: string | null;
};

export interface ListVenuesInput {
  query?: {
    q?: string | undefined;
    cursor?: string | undefined;
    limit?: number | undefined;
  };
}

export type ListVenuesResult = {
  items: {
    id: string;
    name: string;
    nameEn: string | null;
    address: string;
    addressEn: string | null;
    version: number;
  }[];
  nextCursor: string | null;
};

export interface LoginInput {
  body: {
    email: string;
    password: string;
  };
}

export type LoginResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
  accessToken: string;
};

export interface LogoutInput {
  body?: {
    refreshToken?: string;
  } | null;
}

export type LogoutResult = undefined;

export interface RefreshSessionInput {
  body?: {
    refreshToken?: string;
  } | null;
}

export type RefreshSessionResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
  accessToken: string;
  refreshToken?: string;
};

export interface RegisterInput {
  body: {
    email: string;
    password: string;
    name: string;
  };
}

export type RegisterResult = {
  user: {
    id: string;
    email: string;
    name: string;
    role: "buyer" | "seller" | "operator" | "admin";
  };
};

export interface StartOidcSignInInput {
  params: {
    provider: string;
  };
  query?: {
    returnTo?: string | undefined;
  };
}

export type StartOidcSignInResult = undefined;

export interface VerifyTokenInput {
  body: {
    token: string;
  };
}

export type VerifyTokenResult = {
  valid: boolean;
  reason?: "expired" | "invalid";
  claims?: {
    sub: string;
    email: string;
    role: "buyer" | "seller" | "operator" | "admin";
    iat: number;
    exp: number;
  };
};

export interface Client {
  /** Change the role of a user */
  changeUserRole(input: ChangeUserRoleInput, options?: CallOptions): Promise<ChangeUserRoleResult>;
  /** Disable a user */
  disableUser(input: DisableUserInput, options?: CallOptions): Promise<DisableUserResult>;
  /** Enable a disabled user again */
  enableUser(input: EnableUserInput, options?: CallOptions): Promise<EnableUserResult>;
  /** Return from a provider */
  finishOidcSignIn(input: FinishOidcSignInInput, options?: CallOptions): Promise<FinishOidcSignInResult>;
  /** One artist */
  getArtist(input: GetArtistInput, options?: CallOptions): Promise<GetArtistResult>;
  /** One event with prices and sale phases */
  getEvent(input: GetEventInput, options?: CallOptions): Promise<GetEventResult>;
  /** The drawing of a hall, in columns */
  getLayout(input: GetLayoutInput, options?: CallOptions): Promise<GetLayoutResult>;
  /** Who am I */
  getMe(input?: undefined, options?: CallOptions): Promise<GetMeResult>;
  /** The clock that sales open by */
  getTime(input?: undefined, options?: CallOptions): Promise<GetTimeResult>;
  /** One user */
  getUser(input: GetUserInput, options?: CallOptions): Promise<GetUserResult>;
  /** One venue and its newest layouts */
  getVenue(input: GetVenueInput, options?: CallOptions): Promise<GetVenueResult>;
  /** Artists by name */
  listArtists(input?: ListArtistsInput, options?: CallOptions): Promise<ListArtistsResult>;
  /** What is on and what opens when */
  listEvents(input?: ListEventsInput, options?: CallOptions): Promise<ListEventsResult>;
  /** Sign-in providers that are configured */
  listSignInProviders(input?: undefined, options?: CallOptions): Promise<ListSignInProvidersResult>;
  /** List users, newest first */
  listUsers(input: ListUsersInput, options?: CallOptions): Promise<ListUsersResult>;
  /** Venues by name */
  listVenues(input?: ListVenuesInput, options?: CallOptions): Promise<ListVenuesResult>;
  /** Sign in with email and password */
  login(input: LoginInput, options?: CallOptions): Promise<LoginResult>;
  /** Sign out */
  logout(input?: LogoutInput, options?: CallOptions): Promise<LogoutResult>;
  /** Exchange the refresh token for a new pair */
  refreshSession(input?: RefreshSessionInput, options?: CallOptions): Promise<RefreshSessionResult>;
  /** Register with email and password */
  register(input: RegisterInput, options?: CallOptions): Promise<RegisterResult>;
  /** Sign in with a provider */
  startOidcSignIn(input: StartOidcSignInInput, options?: CallOptions): Promise<StartOidcSignInResult>;
  /** Is this access token good */
  verifyToken(input: VerifyTokenInput, options?: CallOptions): Promise<VerifyTokenResult>;
}

export function createClient(options: ClientOptions = {}): Client {
  const call = createCaller(options);
  return {
    changeUserRole: (input, options) => call('PUT', '/api/admin/users/{userId}/role', input, options),
    disableUser: (input, options) => call('POST', '/api/admin/users/{userId}/disable', input, options),
    enableUser: (input, options) => call('POST', '/api/admin/users/{userId}/enable', input, options),
    finishOidcSignIn: (input, options) => call('GET', '/api/auth/oidc/{provider}/callback', input, options),
    getArtist: (input, options) => call('GET', '/api/artists/{artistId}', input, options),
    getEvent: (input, options) => call('GET', '/api/events/{eventId}', input, options),
    getLayout: (input, options) => call('GET', '/api/layouts/{layoutId}', input, options),
    getMe: (input, options) => call('GET', '/api/auth/me', input, options),
    getTime: (input, options) => call('GET', '/api/time', input, options),
    getUser: (input, options) => call('GET', '/api/admin/users/{userId}', input, options),
    getVenue: (input, options) => call('GET', '/api/venues/{venueId}', input, options),
    listArtists: (input, options) => call('GET', '/api/artists', input, options),
    listEvents: (input, options) => call('GET', '/api/events', input, options),
    listSignInProviders: (input, options) => call('GET', '/api/auth/providers', input, options),
    listUsers: (input, options) => call('GET', '/api/admin/users', input, options),
    listVenues: (input, options) => call('GET', '/api/venues', input, options),
    login: (input, options) => call('POST', '/api/auth/login', input, options),
    logout: (input, options) => call('POST', '/api/auth/logout', input, options),
    refreshSession: (input, options) => call('POST', '/api/auth/refresh', input, options),
    register: (input, options) => call('POST', '/api/auth/register', input, options),
    startOidcSignIn: (input, options) => call('GET', '/api/auth/oidc/{provider}/start', input, options),
    verifyToken: (input, options) => call('POST', '/api/auth/verify-token', input, options),
  };
}
