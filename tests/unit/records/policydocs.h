/* The two documents of control.md 4.3, byte for byte, and their signatures. */
#ifndef GK_TESTS_POLICYDOCS_H
#define GK_TESTS_POLICYDOCS_H

#define D1	\
	"{\"v\":1,\"revision\":1,\"touched\":[],\"cdpMode\":false," \
	"\"fileUploadEnabled\":false,\"handleDialogEnabled\":false," \
	"\"pageEvalEnabled\":false,\"confirmHighRiskClick\":true," \
	"\"confirmPageEval\":true,\"presenceConfirm\":true," \
	"\"confirmTabClose\":true,\"warnPreciseSnapshot\":true," \
	"\"evalMask\":true,\"hostReverifyMs\":0,\"confirmGraceMs\":60000," \
	"\"clickToastTimeoutMs\":30000,\"evalToastTimeoutMs\":45000," \
	"\"disabledTools\":[]}"
#define D2	\
	"{\"v\":1,\"revision\":2,\"touched\":[\"pageEvalEnabled\"," \
	"\"confirmGraceMs\",\"disabledTools\"],\"cdpMode\":false," \
	"\"fileUploadEnabled\":false,\"handleDialogEnabled\":false," \
	"\"pageEvalEnabled\":true,\"confirmHighRiskClick\":true," \
	"\"confirmPageEval\":true,\"presenceConfirm\":true," \
	"\"confirmTabClose\":true,\"warnPreciseSnapshot\":true," \
	"\"evalMask\":true,\"hostReverifyMs\":0,\"confirmGraceMs\":120000," \
	"\"clickToastTimeoutMs\":30000,\"evalToastTimeoutMs\":45000," \
	"\"disabledTools\":[\"page_upload\"]}"

#define SIG1	"cM4XranHVkQxLqGIt0H7nzfXpMq/i7Pv+1Km1sp9ipb+sc8ecJyECzUa9OuR" \
		"uqcPcuyVY73t2w+A5G2WbDl6zg=="
#define SIG2	"oG3rBlXXB68K/9Iz05b5MWIgFeFACPlQk3pH14klTNfKmIZkoHEvsMWnEn0V" \
		"Ifn8gczw7IN+bkuYIcs0sH4/5Q=="
#define KEY_ID	"4269889431e3131966fcaf6a457141943ed2c35b5b917ae62cb339546f523551"

#endif
