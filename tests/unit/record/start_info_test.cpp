#include "record/start_info.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

TEST(StartInfo, NamesThatCheckSecret) {
  for (const char* variable :
       {"GITHUB_TOKEN=x", "aws_secret_access_key=x", "API_KEY=x", "PGPASSWORD=x", "MYSQL_PASSWD=x",
        "DB_PASS=x", "MYSQL_PWD=x", "GOOGLE_APPLICATION_CREDENTIALS=x", "SSH_AUTH_SOCK=x",
        "My_Private_Thing=x", "TOKEN=", "KRB_PASSPHRASE=x"})
    EXPECT_TRUE(may_be_secret(variable)) << variable;
  for (const char* variable :
       {"HOME=/home/me", "PWD=/here", "OLDPWD=/there", "PATH=/bin:/usr/bin", "OMP_NUM_THREADS=4",
        "OMPI_COMM_WORLD_RANK=0", "COMPASS=north", "EDITOR=token"})
    EXPECT_FALSE(may_be_secret(variable)) << variable;
}

TEST(StartInfo, AddressesWithAPasswordInThem) {
  EXPECT_TRUE(may_be_secret("DATABASE_URL=postgres://me:word@host/db"));
  EXPECT_TRUE(may_be_secret("HTTPS_PROXY=http://me:p%40@proxy:8080"));
  EXPECT_FALSE(may_be_secret("HTTPS_PROXY=http://proxy:8080"));
  EXPECT_FALSE(may_be_secret("REPOSITORY=ssh://git@host:22/path"));
  EXPECT_FALSE(may_be_secret("PAGE=https://host/a:b@c"));
}

}  // namespace
}  // namespace photofinish
